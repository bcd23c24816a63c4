/*
 * A made file (made_file.h) of one INT32 column in which row r holds r, or is null where r % 5 is
 * 3, in pages of ROWS_PER_PAGE rows; as V1 or V2 pages, plain or by dictionary, with or without
 * offset index.
 */
#ifndef FRZ_TEST_PARQUET_NUMBERED_FILE_H
#define FRZ_TEST_PARQUET_NUMBERED_FILE_H

#include "parquet/made_file.h"

enum { ROWS_PER_PAGE = 200, NUMBERED_PAGES = 8, NUMBERED_ROWS = ROWS_PER_PAGE * NUMBERED_PAGES };

typedef struct numbered_options {
    bool v2;
    bool dictionary;
    bool with_index;
    bool required;
    bool no_crc;
    made_index_fault index_fault;
    bool lists; /* row r is a list of r % 3 numbers instead, counted on from 0; null where r % 5 is
                   3 */
} numbered_options;

static inline bool numbered_null(int64_t row)
{
    return row % 5 == 3;
}

/* Values (or entries) to one packed run of the hybrid, with the V1 length before it if asked. */
static inline void numbered_pack(frz_buffer *out, const uint8_t *levels, size_t count,
                                 unsigned width, bool with_length)
{
    const size_t groups = (count + 7) / 8;
    const size_t size = groups * width + (groups < 64 ? 1 : 2);
    if (with_length)
        frz_buffer_append_u32le(out, (uint32_t)size);
    const unsigned header = (unsigned)groups << 1 | 1;
    if (groups < 64) {
        frz_buffer_append_byte(out, (uint8_t)header);
    } else {
        frz_buffer_append_byte(out, (uint8_t)(header | 0x80));
        frz_buffer_append_byte(out, (uint8_t)(header >> 7));
    }
    uint8_t *bits = frz_buffer_extend(out, groups * width);
    if (!bits)
        abort();
    memset(bits, 0, groups * width);
    for (size_t i = 0; i < count * width; i++)
        if (levels[i / width] >> i % width & 1)
            bits[i / 8] |= (uint8_t)(1u << i % 8);
}

typedef struct numbered_page {
    uint8_t repetition[3 * ROWS_PER_PAGE];
    uint8_t definition[3 * ROWS_PER_PAGE];
    int32_t values[3 * ROWS_PER_PAGE];
    size_t entry_count;
    size_t value_count;
} numbered_page;

static inline void numbered_entry(numbered_page *page, int repetition, int definition)
{
    page->repetition[page->entry_count] = (uint8_t)repetition;
    page->definition[page->entry_count++] = (uint8_t)definition;
}

static inline void numbered_fill(numbered_page *page, int64_t first, numbered_options options,
                                 int32_t *next)
{
    *page = (numbered_page){0};
    for (int64_t row = first; row < first + ROWS_PER_PAGE; row++) {
        if (!options.lists) {
            const bool valid = options.required || !numbered_null(row);
            numbered_entry(page, 0, valid);
            if (valid)
                page->values[page->value_count++] = (int32_t)row;
            continue;
        }
        if (numbered_null(row) || row % 3 == 0)
            numbered_entry(page, 0, numbered_null(row) ? 0 : 1);
        for (int64_t i = 0; !numbered_null(row) && i < row % 3; i++) {
            numbered_entry(page, i > 0, 2);
            page->values[page->value_count++] = (*next)++;
        }
    }
}

static inline void numbered_add(made_file *file, const numbered_page *page,
                                numbered_options options)
{
    frz_buffer repetition = {0}, definition = {0}, values = {0};
    if (options.lists)
        numbered_pack(&repetition, page->repetition, page->entry_count, 1, !options.v2);
    if (!options.required)
        numbered_pack(&definition, page->definition, page->entry_count, options.lists ? 2 : 1,
                      !options.v2);
    if (options.dictionary) {
        uint8_t wide[3 * ROWS_PER_PAGE * 2];
        frz_buffer_append_byte(&values, 16);
        memset(wide, 0, sizeof wide);
        for (size_t i = 0; i < page->value_count; i++)
            memcpy(wide + i * 2, &page->values[i], 2);
        const size_t groups = (page->value_count + 7) / 8;
        frz_buffer_append_byte(&values, (uint8_t)(groups << 1 | 1));
        frz_buffer_append(&values, wide, groups * 16);
    } else {
        frz_buffer_append(&values, page->values, page->value_count * sizeof page->values[0]);
    }
    made_add_page(
        file,
        (made_page){.type = options.v2 ? FRZ_PARQUET_PAGE_DATA_V2 : FRZ_PARQUET_PAGE_DATA,
                    .encoding = options.dictionary ? FRZ_PARQUET_RLE_DICTIONARY : FRZ_PARQUET_PLAIN,
                    .value_count = (int32_t)page->entry_count,
                    .null_count = (int32_t)(page->entry_count - page->value_count),
                    .row_count = ROWS_PER_PAGE,
                    .repetition = frz_buffer_slice(&repetition),
                    .definition = frz_buffer_slice(&definition),
                    .values = frz_buffer_slice(&values)});
    frz_buffer_clear(&repetition);
    frz_buffer_clear(&definition);
    frz_buffer_clear(&values);
}

static inline void numbered_make(made_file *file, numbered_options options)
{
    const element_spec flat[] = {GROUP("root", NONE, 1, NONE),
                                 LEAF("x", options.required ? 0 : 1, FRZ_PARQUET_INT32, NONE)};
    const element_spec lists[] = {GROUP("root", NONE, 1, NONE), GROUP("x", 1, 1, 3),
                                  LEAF("array", 2, FRZ_PARQUET_INT32, NONE)};
    int32_t next = 0;
    made_begin(file);
    file->with_crc = !options.no_crc;
    file->with_index = options.with_index;
    file->index_fault = options.index_fault;
    (void)made_column_begin(file);
    if (options.dictionary) {
        int32_t entries[NUMBERED_ROWS];
        for (int32_t i = 0; i < NUMBERED_ROWS; i++)
            entries[i] = i;
        made_add_page(file, (made_page){.type = FRZ_PARQUET_PAGE_DICTIONARY,
                                        .value_count = NUMBERED_ROWS,
                                        .values = {(const uint8_t *)entries, sizeof entries}});
    }
    for (int64_t page = 0; page < NUMBERED_PAGES; page++) {
        numbered_page content;
        numbered_fill(&content, page * ROWS_PER_PAGE, options, &next);
        numbered_add(file, &content, options);
    }
    if (options.lists)
        made_finish(file, lists, 3, NUMBERED_ROWS);
    else
        made_finish(file, flat, 2, NUMBERED_ROWS);
}

/* The nth set of options, for loops over all of them; false behind the last. */
static inline bool numbered_case(int n, numbered_options *out)
{
    *out = (numbered_options){
        .v2 = n & 1, .dictionary = n & 2, .with_index = n & 4, .required = n & 8, .lists = n & 16};
    if (out->lists && out->required)
        out->required = false;
    return n < 32;
}

#endif
