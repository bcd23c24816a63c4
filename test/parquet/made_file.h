/*
 * Parquet files made by hand in memory, page by page, and an input over them that counts what is
 * read. For tests of what no careful writer would write.
 */
#ifndef FRZ_TEST_PARQUET_MADE_FILE_H
#define FRZ_TEST_PARQUET_MADE_FILE_H

#include "base/codec.h"
#include "base/hash.h"
#include "frazil/extend/io.h"
#include "parquet/footer_bytes.h"
#include "parquet/page.h"

enum { MADE_COLUMNS_MAX = 4, MADE_PAGES_MAX = 16 };

/* What an offset index says of the fourth page, or of those from there on. */
typedef enum made_index_fault {
    MADE_INDEX_RIGHT,
    MADE_INDEX_OTHER_ROWS, /* it begins some rows earlier than it does */
    MADE_INDEX_NO_PAGES,   /* they begin in the midst of bytes */
    MADE_INDEX_NO_ORDER,   /* two of them begin at one row */
    MADE_INDEX_FAULTS
} made_index_fault;

typedef struct made_column {
    int64_t dictionary_offset; /* 0 none */
    int64_t data_offset;
    int64_t value_count;
    int64_t end;
    size_t page_count;
    int64_t page_offsets[MADE_PAGES_MAX];
    int32_t page_sizes[MADE_PAGES_MAX];
    int64_t page_rows[MADE_PAGES_MAX]; /* first row of each */
    int64_t index_offset;
    int32_t index_size;
    size_t bounded_pages;         /* of a column index, all 1 to 6; 0: none */
    const frz_slice *page_bounds; /* least and greatest of each of them, instead */
    uint32_t null_pages;          /* bit per page */
    int64_t bounds_offset;
    int32_t bounds_size;
    frz_slice bloom; /* a whole filter with its header, written as it is; empty: none */
    int64_t bloom_offset;
    int32_t bloom_size;  /* as the footer says; 0: it does not */
    int plain_pages;     /* of the encoding_stats, which tell of one dictionary-encoded page too */
    bool encoding_stats; /* are written */
    frz_slice least;     /* min_value and max_value, when not empty; `ordered` files only */
    frz_slice greatest;
} made_column;

typedef struct made_file {
    frz_input input; /* first: this is the input, too */
    frz_buffer bytes;
    made_column columns[MADE_COLUMNS_MAX];
    size_t column_count;
    frz_codec codec;
    int32_t codec_number;
    bool with_crc;
    bool wrong_crc;
    bool with_index;
    made_index_fault index_fault;
    bool ordered; /* column_orders: TYPE_ORDER */
    int64_t rows_so_far;
    size_t reads; /* made through the input */
    uint64_t read_bytes;
} made_file;

static inline frz_status made_read_at(frz_input *input, uint64_t offset, void *out, size_t size,
                                      frz_error **err)
{
    made_file *file = (made_file *)input;
    (void)err;
    if (offset > file->bytes.size || size > file->bytes.size - offset)
        return FRZ_CORRUPT;
    memcpy(out, file->bytes.data + offset, size);
    file->reads++;
    file->read_bytes += size;
    return FRZ_OK;
}

static inline uint64_t made_size(const frz_input *input)
{
    return ((const made_file *)input)->bytes.size;
}

static inline void made_begin(made_file *file)
{
    static const frz_input_ops ops = {.read_at = made_read_at, .size = made_size};
    *file = (made_file){.input = {.ops = &ops}};
    frz_buffer_append_text(&file->bytes, "PAR1");
}

static inline void made_clear(made_file *file)
{
    frz_buffer_clear(&file->bytes);
}

static inline made_column *made_column_begin(made_file *file)
{
    file->rows_so_far = 0;
    return &file->columns[file->column_count++];
}

/* What a page header needs; parts are as they stand in the page, uncompressed. */
typedef struct made_page {
    int32_t type;
    int32_t encoding;
    int32_t value_count;
    int32_t null_count;
    int32_t row_count;      /* also of V1 pages, for the offset index */
    int32_t level_encoding; /* V1: 0 means RLE */
    frz_slice repetition;   /* V1: with its length, if it has one */
    frz_slice definition;
    frz_slice values;
    bool not_compressed; /* V2 */
} made_page;

static inline void made_compress(const made_file *file, frz_slice bytes, frz_buffer *out)
{
    if (file->codec == FRZ_CODEC_NONE)
        frz_buffer_append(out, bytes.data, bytes.size);
    else if (frz_codec_compress(NULL, file->codec, FRZ_CODEC_LEVEL_DEFAULT, bytes, out, NULL) !=
             FRZ_OK)
        abort();
}

static inline size_t made_body(const made_file *file, const made_page *page, frz_buffer *body)
{
    const size_t size = page->repetition.size + page->definition.size + page->values.size;
    frz_buffer plain = {0};
    frz_buffer *levels = page->type == FRZ_PARQUET_PAGE_DATA_V2 ? body : &plain;
    frz_buffer_append(levels, page->repetition.data, page->repetition.size);
    frz_buffer_append(levels, page->definition.data, page->definition.size);
    frz_buffer_append(&plain, page->values.data, page->values.size);
    if (page->not_compressed)
        frz_buffer_append(body, plain.data, plain.size);
    else
        made_compress(file, frz_buffer_slice(&plain), body);
    frz_buffer_clear(&plain);
    return size;
}

static inline void made_header(made_file *file, const made_page *page, size_t size, frz_slice body)
{
    frz_thrift_writer writer = frz_thrift_writer_to(&file->bytes);
    const int16_t top = frz_thrift_write_begin(&writer);
    frz_thrift_write_i32(&writer, 1, page->type);
    frz_thrift_write_i32(&writer, 2, (int32_t)size);
    frz_thrift_write_i32(&writer, 3, (int32_t)body.size);
    if (file->with_crc) {
        const uint32_t crc = frz_hash_crc32(0, body.data, body.size);
        frz_thrift_write_i32(&writer, 4, (int32_t)(file->wrong_crc ? crc ^ 1 : crc));
    }
    const int16_t inner =
        frz_thrift_write_struct(&writer, page->type == FRZ_PARQUET_PAGE_DATA         ? 5
                                         : page->type == FRZ_PARQUET_PAGE_DICTIONARY ? 7
                                                                                     : 8);
    frz_thrift_write_i32(&writer, 1, page->value_count);
    if (page->type == FRZ_PARQUET_PAGE_DATA_V2) {
        frz_thrift_write_i32(&writer, 2, page->null_count);
        frz_thrift_write_i32(&writer, 3, page->row_count);
        frz_thrift_write_i32(&writer, 4, page->encoding);
        frz_thrift_write_i32(&writer, 5, (int32_t)page->definition.size);
        frz_thrift_write_i32(&writer, 6, (int32_t)page->repetition.size);
        if (page->not_compressed)
            frz_thrift_write_bool(&writer, 7, false);
    } else {
        frz_thrift_write_i32(&writer, 2, page->encoding);
        if (page->type == FRZ_PARQUET_PAGE_DATA) {
            const int32_t level = page->level_encoding ? page->level_encoding : FRZ_PARQUET_RLE;
            frz_thrift_write_i32(&writer, 3, level);
            frz_thrift_write_i32(&writer, 4, level);
        }
    }
    frz_thrift_write_end(&writer, inner);
    frz_thrift_write_end(&writer, top);
}

static inline void made_add_page(made_file *file, made_page page)
{
    made_column *column = &file->columns[file->column_count - 1];
    const int64_t offset = (int64_t)file->bytes.size;
    frz_buffer body = {0};
    const size_t size = made_body(file, &page, &body);
    made_header(file, &page, size, frz_buffer_slice(&body));
    frz_buffer_append(&file->bytes, body.data, body.size);
    frz_buffer_clear(&body);
    column->end = (int64_t)file->bytes.size;
    if (page.type == FRZ_PARQUET_PAGE_DICTIONARY) {
        column->dictionary_offset = offset;
        return;
    }
    if (column->page_count == 0)
        column->data_offset = offset;
    column->page_offsets[column->page_count] = offset;
    column->page_sizes[column->page_count] = (int32_t)(column->end - offset);
    column->page_rows[column->page_count++] = file->rows_so_far;
    column->value_count += page.value_count;
    file->rows_so_far += page.row_count ? page.row_count : page.value_count;
}

static inline void made_bounds(made_file *file, made_column *column)
{
    static const int32_t low = 1;
    static const int32_t high = 6;
    const size_t count = column->bounded_pages;
    column->bounds_offset = (int64_t)file->bytes.size;
    frz_thrift_writer writer = frz_thrift_writer_to(&file->bytes);
    const int16_t top = frz_thrift_write_begin(&writer);
    frz_thrift_write_list(&writer, 1, FRZ_THRIFT_TRUE, count);
    for (size_t i = 0; i < count; i++)
        frz_thrift_write_bool_element(&writer, column->null_pages >> i & 1);
    for (int16_t id = 2; id <= 3; id++) {
        frz_thrift_write_list(&writer, id, FRZ_THRIFT_BINARY, count);
        for (size_t i = 0; i < count; i++)
            frz_thrift_write_binary_element(
                &writer, column->page_bounds
                             ? column->page_bounds[i * 2 + (size_t)id - 2]
                             : frz_slice_of(id == 2 ? &low : &high, sizeof(int32_t)));
    }
    frz_thrift_write_i32(&writer, 4, 0);
    frz_thrift_write_end(&writer, top);
    column->bounds_size = (int32_t)((int64_t)file->bytes.size - column->bounds_offset);
}

static inline int64_t made_index_row(const made_file *file, const made_column *column, size_t page)
{
    const int64_t row = column->page_rows[page];
    if (file->index_fault == MADE_INDEX_OTHER_ROWS && page == 3)
        return row - (row - column->page_rows[page - 1]) / 2;
    return file->index_fault == MADE_INDEX_NO_ORDER && page == 4 ? column->page_rows[3] : row;
}

static inline void made_indexes(made_file *file)
{
    for (size_t i = 0; i < file->column_count; i++) {
        made_column *column = &file->columns[i];
        column->index_offset = (int64_t)file->bytes.size;
        frz_thrift_writer writer = frz_thrift_writer_to(&file->bytes);
        const int16_t top = frz_thrift_write_begin(&writer);
        frz_thrift_write_list(&writer, 1, FRZ_THRIFT_STRUCT, column->page_count);
        for (size_t p = 0; p < column->page_count; p++) {
            const int16_t page = frz_thrift_write_begin(&writer);
            const int shift = file->index_fault == MADE_INDEX_NO_PAGES && p >= 3 ? 5 : 0;
            frz_thrift_write_i64(&writer, 1, column->page_offsets[p] + shift);
            frz_thrift_write_i32(&writer, 2, column->page_sizes[p]);
            frz_thrift_write_i64(&writer, 3, made_index_row(file, column, p));
            frz_thrift_write_end(&writer, page);
        }
        frz_thrift_write_end(&writer, top);
        column->index_size = (int32_t)((int64_t)file->bytes.size - column->index_offset);
        if (column->bounded_pages)
            made_bounds(file, column);
    }
}

static inline void made_blooms(made_file *file)
{
    for (size_t i = 0; i < file->column_count; i++) {
        made_column *column = &file->columns[i];
        if (!column->bloom.size)
            continue;
        column->bloom_offset = (int64_t)file->bytes.size;
        frz_buffer_append(&file->bytes, column->bloom.data, column->bloom.size);
    }
}

static inline void made_evidence(const made_column *column, frz_thrift_writer *writer)
{
    if (column->least.size) {
        const int16_t statistics = frz_thrift_write_struct(writer, 12);
        frz_thrift_write_binary(writer, 5, column->greatest);
        frz_thrift_write_binary(writer, 6, column->least);
        frz_thrift_write_end(writer, statistics);
    }
    if (column->encoding_stats) {
        frz_thrift_write_list(writer, 13, FRZ_THRIFT_STRUCT, column->plain_pages ? 2 : 1);
        for (int i = 0; i < (column->plain_pages ? 2 : 1); i++) {
            const int16_t stats = frz_thrift_write_begin(writer);
            frz_thrift_write_i32(writer, 1, FRZ_PARQUET_PAGE_DATA);
            frz_thrift_write_i32(writer, 2, i ? FRZ_PARQUET_PLAIN : FRZ_PARQUET_RLE_DICTIONARY);
            frz_thrift_write_i32(writer, 3, i ? column->plain_pages : 1);
            frz_thrift_write_end(writer, stats);
        }
    }
    if (column->bloom_offset)
        frz_thrift_write_i64(writer, 14, column->bloom_offset);
    if (column->bloom_size)
        frz_thrift_write_i32(writer, 15, column->bloom_size);
}

static inline void made_chunk(const made_file *file, const made_column *column, int type,
                              frz_thrift_writer *writer)
{
    const int64_t start =
        column->dictionary_offset ? column->dictionary_offset : column->data_offset;
    const int16_t chunk = frz_thrift_write_begin(writer);
    frz_thrift_write_i64(writer, 2, 0);
    const int16_t meta = frz_thrift_write_struct(writer, 3);
    frz_thrift_write_i32(writer, 1, type);
    frz_thrift_write_list(writer, 2, FRZ_THRIFT_I32, 1);
    frz_thrift_write_integer_element(writer, FRZ_PARQUET_PLAIN);
    frz_thrift_write_i32(writer, 4, file->codec_number);
    frz_thrift_write_i64(writer, 5, column->value_count);
    frz_thrift_write_i64(writer, 6, 1);
    frz_thrift_write_i64(writer, 7, column->end - start);
    frz_thrift_write_i64(writer, 9, column->data_offset);
    if (column->dictionary_offset)
        frz_thrift_write_i64(writer, 11, column->dictionary_offset);
    made_evidence(column, writer);
    frz_thrift_write_end(writer, meta);
    if (column->index_offset) {
        frz_thrift_write_i64(writer, 4, column->index_offset);
        frz_thrift_write_i32(writer, 5, column->index_size);
    }
    if (column->bounds_offset) {
        frz_thrift_write_i64(writer, 6, column->bounds_offset);
        frz_thrift_write_i32(writer, 7, column->bounds_size);
    }
    frz_thrift_write_end(writer, chunk);
}

/* Writes indexes (if asked) and the footer: one row group, columns in the order of the schema's
 * leaves. */
static inline void made_finish(made_file *file, const element_spec *schema, size_t count,
                               int64_t row_count)
{
    if (file->with_index)
        made_indexes(file);
    made_blooms(file);
    const size_t start = file->bytes.size;
    frz_thrift_writer writer = frz_thrift_writer_to(&file->bytes);
    const int16_t top = frz_thrift_write_begin(&writer);
    frz_thrift_write_i32(&writer, 1, 1);
    write_schema(&writer, schema, count);
    frz_thrift_write_i64(&writer, 3, row_count);
    frz_thrift_write_list(&writer, 4, FRZ_THRIFT_STRUCT, 1);
    const int16_t group = frz_thrift_write_begin(&writer);
    frz_thrift_write_list(&writer, 1, FRZ_THRIFT_STRUCT, file->column_count);
    for (size_t i = 0, leaf = 0; i < count; i++)
        if (schema[i].type != NONE)
            made_chunk(file, &file->columns[leaf++], schema[i].type, &writer);
    frz_thrift_write_i64(&writer, 2, 1);
    frz_thrift_write_i64(&writer, 3, row_count);
    frz_thrift_write_end(&writer, group);
    if (file->ordered) {
        frz_thrift_write_list(&writer, 7, FRZ_THRIFT_STRUCT, file->column_count);
        for (size_t i = 0; i < file->column_count; i++) {
            const int16_t order = frz_thrift_write_begin(&writer);
            frz_thrift_write_empty(&writer, 1);
            frz_thrift_write_end(&writer, order);
        }
    }
    frz_thrift_write_end(&writer, top);
    frz_buffer_append_u32le(&file->bytes, (uint32_t)(file->bytes.size - start));
    frz_buffer_append_text(&file->bytes, "PAR1");
}

#endif
