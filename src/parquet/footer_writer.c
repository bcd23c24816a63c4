#include "parquet/footer_writer.h"

#include "parquet/thrift.h"

/* parquet.thrift BoundaryOrder. */
enum { BOUNDARY_UNORDERED = 0, BOUNDARY_ASCENDING = 1, BOUNDARY_DESCENDING = 2 };
/* parquet.thrift PageType, as far as encoding statistics name it. */
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };

int32_t frz_parquet_codec_number(frz_codec codec)
{
    switch (codec) {
    case FRZ_CODEC_NONE:
        return 0;
    case FRZ_CODEC_SNAPPY:
        return 1;
    case FRZ_CODEC_GZIP:
        return 2;
    case FRZ_CODEC_BROTLI:
        return 4;
    case FRZ_CODEC_ZSTD:
        return 6;
    case FRZ_CODEC_LZ4_RAW:
        return 7;
    case FRZ_CODEC_DEFLATE:
    case FRZ_CODEC_LZ4_HADOOP:
    case FRZ_CODEC_LZ4_FRAME:
    case FRZ_CODEC_BZIP2:
    case FRZ_CODEC_XZ:
        break;
    }
    return -1;
}

static frz_slice min_of(const frz_parquet_page_entry *page, const uint8_t *bounds)
{
    return page->has_bounds ? frz_slice_of(bounds + page->min_at, page->min_size) : (frz_slice){0};
}

static frz_slice max_of(const frz_parquet_page_entry *page, const uint8_t *bounds)
{
    return page->has_bounds ? frz_slice_of(bounds + page->max_at, page->max_size) : (frz_slice){0};
}

/* Pages of nulls do not count (PageIndex.md, "boundary_order"). */
static int32_t boundary_order(frz_parquet_order order, const frz_parquet_page_entry *pages,
                              size_t page_count, const uint8_t *bounds)
{
    const frz_parquet_page_entry *last = NULL;
    bool ascending = true;
    bool descending = true;
    for (size_t i = 0; i < page_count; i++) {
        if (!pages[i].has_bounds)
            continue;
        if (last) {
            const int min =
                frz_parquet_compare(order, min_of(last, bounds), min_of(&pages[i], bounds));
            const int max =
                frz_parquet_compare(order, max_of(last, bounds), max_of(&pages[i], bounds));
            ascending = ascending && min <= 0 && max <= 0;
            descending = descending && min >= 0 && max >= 0;
        }
        last = &pages[i];
    }
    if (ascending)
        return BOUNDARY_ASCENDING;
    return descending ? BOUNDARY_DESCENDING : BOUNDARY_UNORDERED;
}

static bool has_nan_counts(const frz_parquet_node *leaf)
{
    return leaf->type == FRZ_PARQUET_FLOAT || leaf->type == FRZ_PARQUET_DOUBLE;
}

void frz_parquet_column_index_write(const frz_parquet_node *leaf,
                                    const frz_parquet_page_entry *pages, size_t page_count,
                                    const uint8_t *bounds, frz_buffer *out)
{
    frz_thrift_writer writer = frz_thrift_writer_to(out);
    const int16_t top = frz_thrift_write_begin(&writer);
    frz_thrift_write_list(&writer, 1, FRZ_THRIFT_TRUE, page_count);
    for (size_t i = 0; i < page_count; i++)
        frz_thrift_write_bool_element(&writer, pages[i].all_null);
    frz_thrift_write_list(&writer, 2, FRZ_THRIFT_BINARY, page_count);
    for (size_t i = 0; i < page_count; i++)
        frz_thrift_write_binary_element(&writer, min_of(&pages[i], bounds));
    frz_thrift_write_list(&writer, 3, FRZ_THRIFT_BINARY, page_count);
    for (size_t i = 0; i < page_count; i++)
        frz_thrift_write_binary_element(&writer, max_of(&pages[i], bounds));
    frz_thrift_write_i32(&writer, 4,
                         boundary_order(frz_parquet_order_of(leaf), pages, page_count, bounds));
    frz_thrift_write_list(&writer, 5, FRZ_THRIFT_I64, page_count);
    for (size_t i = 0; i < page_count; i++)
        frz_thrift_write_integer_element(&writer, pages[i].null_count);
    if (has_nan_counts(leaf)) {
        frz_thrift_write_list(&writer, 8, FRZ_THRIFT_I64, page_count);
        for (size_t i = 0; i < page_count; i++)
            frz_thrift_write_integer_element(&writer, pages[i].nan_count);
    }
    frz_thrift_write_end(&writer, top);
}

void frz_parquet_offset_index_write(const frz_parquet_page_entry *pages, size_t page_count,
                                    frz_buffer *out)
{
    frz_thrift_writer writer = frz_thrift_writer_to(out);
    const int16_t top = frz_thrift_write_begin(&writer);
    frz_thrift_write_list(&writer, 1, FRZ_THRIFT_STRUCT, page_count);
    for (size_t i = 0; i < page_count; i++) {
        const int16_t outer = frz_thrift_write_begin(&writer);
        frz_thrift_write_i64(&writer, 1, (int64_t)pages[i].offset);
        frz_thrift_write_i32(&writer, 2, (int32_t)pages[i].size);
        frz_thrift_write_i64(&writer, 3, pages[i].first_row);
        frz_thrift_write_end(&writer, outer);
    }
    frz_thrift_write_end(&writer, top);
}

static void write_time_unit(frz_thrift_writer *writer, int16_t id, char unit)
{
    const int16_t outer = frz_thrift_write_struct(writer, id);
    frz_thrift_write_empty(writer, (int16_t)(unit == 'm' ? 1 : unit == 'u' ? 2 : 3));
    frz_thrift_write_end(writer, outer);
}

/* The union LogicalType; the field ids are its members. */
static void write_logical(frz_thrift_writer *writer, const frz_parquet_element *element)
{
    static const int16_t members[] = {
        [FRZ_PARQUET_LOGICAL_STRING] = 1,    [FRZ_PARQUET_LOGICAL_MAP] = 2,
        [FRZ_PARQUET_LOGICAL_LIST] = 3,      [FRZ_PARQUET_LOGICAL_DECIMAL] = 5,
        [FRZ_PARQUET_LOGICAL_DATE] = 6,      [FRZ_PARQUET_LOGICAL_TIME] = 7,
        [FRZ_PARQUET_LOGICAL_TIMESTAMP] = 8, [FRZ_PARQUET_LOGICAL_UUID] = 14,
        [FRZ_PARQUET_LOGICAL_GEOGRAPHY] = 0,
    };
    const int16_t member = members[element->logical];
    if (member == 0)
        return;
    const int16_t top = frz_thrift_write_struct(writer, 10);
    const int16_t outer = frz_thrift_write_struct(writer, member);
    if (element->logical == FRZ_PARQUET_LOGICAL_DECIMAL) {
        frz_thrift_write_i32(writer, 1, element->scale);
        frz_thrift_write_i32(writer, 2, element->precision);
    } else if (element->logical == FRZ_PARQUET_LOGICAL_TIME ||
               element->logical == FRZ_PARQUET_LOGICAL_TIMESTAMP) {
        frz_thrift_write_bool(writer, 1, element->adjusted_to_utc);
        write_time_unit(writer, 2, element->unit);
    }
    frz_thrift_write_end(writer, outer);
    frz_thrift_write_end(writer, top);
}

static void write_element(frz_thrift_writer *writer, const frz_parquet_element *element)
{
    const int16_t top = frz_thrift_write_begin(writer);
    if (element->has_type)
        frz_thrift_write_i32(writer, 1, element->type);
    if (element->type_length > 0)
        frz_thrift_write_i32(writer, 2, element->type_length);
    if (element->has_repetition)
        frz_thrift_write_i32(writer, 3, element->repetition);
    frz_thrift_write_text(writer, 4, element->name);
    if (!element->has_type)
        frz_thrift_write_i32(writer, 5, element->child_count);
    if (element->converted >= 0)
        frz_thrift_write_i32(writer, 6, element->converted);
    if (element->logical == FRZ_PARQUET_LOGICAL_DECIMAL) {
        frz_thrift_write_i32(writer, 7, element->scale);
        frz_thrift_write_i32(writer, 8, element->precision);
    }
    if (element->has_field_id)
        frz_thrift_write_i32(writer, 9, element->field_id);
    write_logical(writer, element);
    frz_thrift_write_end(writer, top);
}

static void write_statistics(frz_thrift_writer *writer, const frz_parquet_node *leaf,
                             const frz_parquet_statistics *statistics)
{
    const int16_t outer = frz_thrift_write_struct(writer, 12);
    frz_thrift_write_i64(writer, 3, statistics->null_count);
    if (statistics->has_max)
        frz_thrift_write_binary(writer, 5, statistics->max);
    if (statistics->has_min)
        frz_thrift_write_binary(writer, 6, statistics->min);
    if (statistics->has_max)
        frz_thrift_write_bool(writer, 7, statistics->max_exact);
    if (statistics->has_min)
        frz_thrift_write_bool(writer, 8, statistics->min_exact);
    if (has_nan_counts(leaf))
        frz_thrift_write_i64(writer, 9, statistics->nan_count);
    frz_thrift_write_end(writer, outer);
}

static void write_encodings(frz_thrift_writer *writer, const frz_parquet_chunk_entry *chunk)
{
    const bool dictionary = chunk->pages_dictionary > 0;
    const bool plain = chunk->pages_plain > 0 || dictionary;
    const bool delta = chunk->pages_delta > 0;
    frz_thrift_write_list(writer, 2, FRZ_THRIFT_I32, 1u + plain + dictionary + delta);
    frz_thrift_write_integer_element(writer, FRZ_PARQUET_RLE);
    if (plain)
        frz_thrift_write_integer_element(writer, FRZ_PARQUET_PLAIN);
    if (dictionary)
        frz_thrift_write_integer_element(writer, FRZ_PARQUET_RLE_DICTIONARY);
    if (delta)
        frz_thrift_write_integer_element(writer, FRZ_PARQUET_DELTA_BINARY_PACKED);
}

static void write_encoding_count(frz_thrift_writer *writer, int32_t page_type,
                                 frz_parquet_encoding encoding, size_t count)
{
    if (count == 0)
        return;
    const int16_t outer = frz_thrift_write_begin(writer);
    frz_thrift_write_i32(writer, 1, page_type);
    frz_thrift_write_i32(writer, 2, (int32_t)encoding);
    frz_thrift_write_i32(writer, 3, (int32_t)count);
    frz_thrift_write_end(writer, outer);
}

/* PageEncodingStats: how readers know that all pages of a chunk are dictionary encoded. V2 pages
 * count as V1's type here, as other writers have it. */
static void write_encoding_counts(frz_thrift_writer *writer, const frz_parquet_chunk_entry *chunk)
{
    const bool dictionary = chunk->pages_dictionary > 0;
    const size_t kinds = 2u * dictionary + (chunk->pages_plain > 0) + (chunk->pages_delta > 0);
    frz_thrift_write_list(writer, 13, FRZ_THRIFT_STRUCT, kinds);
    write_encoding_count(writer, PAGE_DICTIONARY, FRZ_PARQUET_PLAIN, dictionary);
    write_encoding_count(writer, PAGE_DATA, FRZ_PARQUET_RLE_DICTIONARY, chunk->pages_dictionary);
    write_encoding_count(writer, PAGE_DATA, FRZ_PARQUET_PLAIN, chunk->pages_plain);
    write_encoding_count(writer, PAGE_DATA, FRZ_PARQUET_DELTA_BINARY_PACKED, chunk->pages_delta);
}

static void write_chunk_metadata(frz_thrift_writer *writer, const frz_parquet_chunk_entry *chunk)
{
    const frz_parquet_leaf *leaf = chunk->leaf;
    const int16_t outer = frz_thrift_write_struct(writer, 3);
    frz_thrift_write_i32(writer, 1, (int32_t)leaf->node->type);
    write_encodings(writer, chunk);
    frz_thrift_write_list(writer, 3, FRZ_THRIFT_BINARY, leaf->path_count);
    for (size_t i = 0; i < leaf->path_count; i++)
        frz_thrift_write_binary_element(writer, frz_slice_of_text(leaf->path[i]));
    frz_thrift_write_i32(writer, 4, frz_parquet_codec_number(chunk->codec));
    frz_thrift_write_i64(writer, 5, chunk->slot_count);
    frz_thrift_write_i64(writer, 6, (int64_t)chunk->uncompressed_size);
    frz_thrift_write_i64(writer, 7, (int64_t)chunk->compressed_size);
    frz_thrift_write_i64(writer, 9, (int64_t)chunk->data_page_offset);
    if (chunk->pages_dictionary > 0)
        frz_thrift_write_i64(writer, 11, (int64_t)chunk->dictionary_page_offset);
    if (chunk->has_statistics)
        write_statistics(writer, leaf->node, &chunk->statistics);
    write_encoding_counts(writer, chunk);
    if (chunk->bloom_size > 0) {
        frz_thrift_write_i64(writer, 14, (int64_t)chunk->bloom_at);
        frz_thrift_write_i32(writer, 15, (int32_t)chunk->bloom_size);
    }
    frz_thrift_write_end(writer, outer);
}

static void write_chunk(frz_thrift_writer *writer, const frz_parquet_chunk_entry *chunk)
{
    const int16_t outer = frz_thrift_write_begin(writer);
    frz_thrift_write_i64(writer, 2,
                         0); /* file_offset: deprecated, "writers should set this to 0" */
    write_chunk_metadata(writer, chunk);
    frz_thrift_write_i64(writer, 4, (int64_t)chunk->offset_index_at);
    frz_thrift_write_i32(writer, 5, (int32_t)chunk->offset_index_size);
    if (chunk->column_index_size > 0) {
        frz_thrift_write_i64(writer, 6, (int64_t)chunk->column_index_at);
        frz_thrift_write_i32(writer, 7, (int32_t)chunk->column_index_size);
    }
    frz_thrift_write_end(writer, outer);
}

static void write_group(frz_thrift_writer *writer, const frz_parquet_group_entry *group,
                        size_t leaf_count, size_t ordinal)
{
    uint64_t uncompressed = 0;
    uint64_t compressed = 0;
    const int16_t outer = frz_thrift_write_begin(writer);
    frz_thrift_write_list(writer, 1, FRZ_THRIFT_STRUCT, leaf_count);
    for (size_t i = 0; i < leaf_count; i++) {
        write_chunk(writer, &group->chunks[i]);
        uncompressed += group->chunks[i].uncompressed_size;
        compressed += group->chunks[i].compressed_size;
    }
    frz_thrift_write_i64(writer, 2, (int64_t)uncompressed);
    frz_thrift_write_i64(writer, 3, group->row_count);
    frz_thrift_write_i64(writer, 5, (int64_t)group->offset);
    frz_thrift_write_i64(writer, 6, (int64_t)compressed);
    if (ordinal <= INT16_MAX)
        frz_thrift_write_i16(writer, 7, (int16_t)ordinal);
    frz_thrift_write_end(writer, outer);
}

static void write_key_values(frz_thrift_writer *writer, const frz_parquet_footer *footer)
{
    if (footer->key_value_count == 0)
        return;
    frz_thrift_write_list(writer, 5, FRZ_THRIFT_STRUCT, footer->key_value_count);
    for (size_t i = 0; i < footer->key_value_count; i++) {
        const int16_t outer = frz_thrift_write_begin(writer);
        frz_thrift_write_text(writer, 1, footer->key_values[i].key);
        frz_thrift_write_binary(writer, 2, footer->key_values[i].value);
        frz_thrift_write_end(writer, outer);
    }
}

void frz_parquet_footer_write(const frz_parquet_footer *footer, frz_buffer *out)
{
    const frz_parquet_write_schema *schema = footer->schema;
    frz_thrift_writer writer = frz_thrift_writer_to(out);
    const int16_t top = frz_thrift_write_begin(&writer);
    frz_thrift_write_i32(&writer, 1, 1); /* version: "writers should always populate 1" */
    frz_thrift_write_list(&writer, 2, FRZ_THRIFT_STRUCT, schema->element_count);
    for (size_t i = 0; i < schema->element_count; i++)
        write_element(&writer, &schema->elements[i]);
    frz_thrift_write_i64(&writer, 3, footer->row_count);
    frz_thrift_write_list(&writer, 4, FRZ_THRIFT_STRUCT, footer->group_count);
    for (size_t i = 0; i < footer->group_count; i++)
        write_group(&writer, &footer->groups[i], schema->leaf_count, i);
    write_key_values(&writer, footer);
    frz_thrift_write_text(&writer, 6, "frazil version 0.1.0");
    frz_thrift_write_list(&writer, 7, FRZ_THRIFT_STRUCT, schema->leaf_count);
    for (size_t i = 0; i < schema->leaf_count; i++) {
        const int16_t outer = frz_thrift_write_begin(&writer);
        frz_thrift_write_empty(&writer, 1); /* TYPE_ORDER */
        frz_thrift_write_end(&writer, outer);
    }
    frz_thrift_write_end(&writer, top);
}
