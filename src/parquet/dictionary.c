#include "parquet/dictionary.h"

#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "parquet/copy.h"
#include "parquet/decoder.h"

static frz_status corrupt(const char *what, frz_error **err)
{
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "dictionary page: %s", what);
}

static frz_status decoder_failed(const frz_parquet_decoder *decoder, frz_error **err)
{
    return decoder->problem ? corrupt(decoder->problem, err) : frz_fail_memory(err);
}

static frz_status load_bits(frz_parquet_dictionary *dictionary, frz_parquet_decoder *decoder,
                            size_t count, frz_error **err)
{
    uint8_t *out = frz_buffer_extend(&dictionary->data, count);
    if (!out)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        uint8_t bit = 0;
        if (!frz_parquet_decode_bits(decoder, &bit, 0, 1))
            return decoder_failed(decoder, err);
        out[i] = bit & 1;
    }
    return FRZ_OK;
}

static frz_status load_fixed(frz_parquet_dictionary *dictionary, frz_parquet_decoder *decoder,
                             const frz_parquet_layout *layout, size_t count, frz_error **err)
{
    const char *problem = NULL;
    size_t size = 0;
    /* PLAIN and of fixed width: the bytes are the values, and bound their number. */
    if (count > decoder->bytes.size / layout->physical_width)
        return corrupt("it has fewer values than it says", err);
    uint8_t *out = frz_size_mul(count, layout->width, &size)
                       ? frz_buffer_extend(&dictionary->data, size)
                       : NULL;
    if (!out)
        return frz_fail_memory(err);
    if (count && !frz_parquet_convert_fixed(layout, decoder->bytes.data, out, count, &problem))
        return corrupt(problem, err);
    return FRZ_OK;
}

static frz_status load_bytes(frz_parquet_dictionary *dictionary, frz_parquet_decoder *decoder,
                             const frz_parquet_layout *layout, size_t count, frz_error **err)
{
    if (count > decoder->bytes.size / sizeof(uint32_t))
        return corrupt("it has fewer values than it says", err);
    int32_t *offsets =
        (void *)frz_buffer_extend(&dictionary->offsets, (count + 1) * sizeof *offsets);
    if (!offsets)
        return frz_fail_memory(err);
    offsets[0] = 0;
    if (!frz_parquet_decode_bytes(decoder, offsets + 1, &dictionary->data, count))
        return decoder_failed(decoder, err);
    if (layout->text && !frz_utf8_values_valid(dictionary->data.data, 0, offsets + 1, count))
        return corrupt("a string is no UTF-8", err);
    if (layout->conversion == FRZ_PARQUET_CONVERT_NONE) {
        frz_buffer_append_fill(&dictionary->data, 0, FRZ_PARQUET_COPY_SLACK);
        return frz_buffer_check(&dictionary->data, err);
    }

    frz_buffer converted = {0};
    const char *problem = NULL;
    frz_status status = FRZ_OK;
    uint8_t *out = frz_buffer_extend(&converted, count * layout->width);
    if (!out)
        status = frz_fail_memory(err);
    else if (!frz_parquet_convert_bytes(dictionary->data.data, 0, offsets + 1, out, count,
                                        &problem))
        status = corrupt(problem, err);
    frz_buffer_clear(&dictionary->data);
    dictionary->data = converted;
    return status;
}

frz_status frz_parquet_dictionary_load(frz_parquet_dictionary *dictionary,
                                       const frz_parquet_node *leaf,
                                       const frz_parquet_layout *layout, frz_slice bytes,
                                       size_t count, frz_error **err)
{
    frz_parquet_decoder decoder = {0};
    frz_status status = FRZ_OK;
    frz_parquet_dictionary_reset(dictionary);
    FRZ_TRY_DONE(frz_parquet_decoder_start(&decoder, leaf, FRZ_PARQUET_PLAIN, bytes, err));
    if (layout->physical_width)
        status = load_fixed(dictionary, &decoder, layout,
                            layout->form == FRZ_PARQUET_FORM_NULL ? 0 : count, err);
    else if (leaf->type == FRZ_PARQUET_BOOLEAN)
        status = count > bytes.size * 8 ? corrupt("it has fewer values than it says", err)
                                        : load_bits(dictionary, &decoder, count, err);
    else
        status = load_bytes(dictionary, &decoder, layout, count, err);
    if (status == FRZ_OK) {
        dictionary->count = count;
        dictionary->present = true;
    }
done:
    frz_parquet_decoder_clear(&decoder);
    return status;
}

void frz_parquet_dictionary_reset(frz_parquet_dictionary *dictionary)
{
    dictionary->present = false;
    dictionary->count = 0;
    frz_buffer_reset(&dictionary->data);
    frz_buffer_reset(&dictionary->offsets);
}

void frz_parquet_dictionary_clear(frz_parquet_dictionary *dictionary)
{
    frz_buffer_clear(&dictionary->data);
    frz_buffer_clear(&dictionary->offsets);
    *dictionary = (frz_parquet_dictionary){0};
}
