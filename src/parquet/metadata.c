#include "parquet/metadata.h"

#include <string.h>

#include "base/fail.h"
#include "parquet/element.h"
#include "parquet/page.h"
#include "parquet/statistics.h"

/* The state of one parse. The footer is walked twice: schema and column orders first, because the
 * row groups cannot be understood without them and the order of fields is free. */
typedef struct footer_parser {
    frz_thrift_reader reader;
    const frz_limits *limits;
    frz_arena *arena;
    frz_parquet_metadata *out;
    uint64_t start;
    frz_error **err;

    frz_thrift_reader row_groups; /* where the field stands */
    bool has_row_groups;
    bool has_row_count;
    uint8_t *orders; /* per leaf: whether the order is one we know */
    size_t order_count;
    bool encrypted;
} footer_parser;

static frz_status corrupt(footer_parser *parser, const char *what)
{
    return frz_fail(parser->err, FRZ_CORRUPT, parser->start, "Parquet footer: %s", what);
}

static frz_status check(footer_parser *parser)
{
    return frz_thrift_check(&parser->reader, parser->start, "Parquet footer", parser->err);
}

static const char *read_text(footer_parser *parser, frz_thrift_type type)
{
    const frz_slice text = frz_thrift_binary(&parser->reader, type);
    const char *copy = frz_arena_text_n(parser->arena, text.data, text.size);
    if (!copy)
        frz_thrift_fail_memory(&parser->reader);
    return copy;
}

static frz_status read_schema(footer_parser *parser, frz_thrift_type type)
{
    frz_thrift_reader *reader = &parser->reader;
    const size_t count = frz_thrift_list(reader, type, FRZ_THRIFT_STRUCT);
    FRZ_TRY(check(parser));
    if (count > parser->limits->schema_columns)
        return frz_fail(parser->err, FRZ_UNSUPPORTED, parser->start,
                        "schema of %zu elements: over the limit schema_columns (%zu)", count,
                        parser->limits->schema_columns);
    frz_parquet_element *elements = frz_arena_array(parser->arena, count, sizeof *elements);
    if (!elements)
        return frz_fail_memory(parser->err);
    for (size_t i = 0; i < count && !reader->cursor.failed; i++)
        frz_parquet_element_read(reader, parser->arena, &elements[i]);
    FRZ_TRY(check(parser));
    return frz_parquet_tree_build(elements, count, parser->limits, parser->arena, parser->out,
                                  parser->err);
}

/* TYPE_ORDER (1) and, for floating point, IEEE_754_TOTAL_ORDER (2) are orders we know. "If the
 * reader does not support the value of this union, min and max stats for this column should be
 * ignored". */
static frz_status read_orders(footer_parser *parser, frz_thrift_type type)
{
    frz_thrift_reader *reader = &parser->reader;
    const size_t count = frz_thrift_list(reader, type, FRZ_THRIFT_STRUCT);
    parser->orders = frz_arena_alloc(parser->arena, count);
    if (!parser->orders)
        return frz_fail_memory(parser->err);
    parser->order_count = count;
    for (size_t i = 0; i < count && !reader->cursor.failed; i++) {
        const int16_t outer = frz_thrift_struct_begin(reader);
        for (frz_thrift_field field; frz_thrift_field_next(reader, &field);) {
            parser->orders[i] = field.id == 1 || field.id == 2;
            frz_thrift_skip(reader, field.type);
        }
        frz_thrift_struct_end(reader, outer);
    }
    return check(parser);
}

static frz_status read_key_values(footer_parser *parser, frz_thrift_type type)
{
    frz_thrift_reader *reader = &parser->reader;
    const size_t count = frz_thrift_list(reader, type, FRZ_THRIFT_STRUCT);
    frz_parquet_key_value *pairs = frz_arena_array(parser->arena, count, sizeof *pairs);
    if (!pairs)
        return frz_fail_memory(parser->err);
    for (size_t i = 0; i < count && !reader->cursor.failed; i++) {
        const int16_t outer = frz_thrift_struct_begin(reader);
        pairs[i].key = "";
        for (frz_thrift_field field; frz_thrift_field_next(reader, &field);) {
            if (field.id == 1)
                pairs[i].key = read_text(parser, field.type);
            else if (field.id == 2)
                pairs[i].value = frz_thrift_binary(reader, field.type);
            else
                frz_thrift_skip(reader, field.type);
        }
        frz_thrift_struct_end(reader, outer);
    }
    parser->out->key_values = pairs;
    parser->out->key_value_count = count;
    return check(parser);
}

static frz_status read_file_field(footer_parser *parser, frz_thrift_field field)
{
    frz_thrift_reader *reader = &parser->reader;
    switch (field.id) {
    case 1:
        parser->out->version = frz_thrift_i32(reader, field.type);
        return FRZ_OK;
    case 2:
        if (parser->out->leaves)
            return corrupt(parser, "two schemas");
        return read_schema(parser, field.type);
    case 3:
        parser->out->row_count = frz_thrift_i64(reader, field.type);
        parser->has_row_count = true;
        return FRZ_OK;
    case 4:
        parser->row_groups = *reader;
        parser->has_row_groups = field.type == FRZ_THRIFT_LIST;
        frz_thrift_skip(reader, field.type);
        return FRZ_OK;
    case 5:
        return read_key_values(parser, field.type);
    case 6:
        parser->out->created_by = read_text(parser, field.type);
        return FRZ_OK;
    case 7:
        return read_orders(parser, field.type);
    case 8:
        parser->encrypted = true;
        frz_thrift_skip(reader, field.type);
        return FRZ_OK;
    default:
        frz_thrift_skip(reader, field.type);
        return FRZ_OK;
    }
}

static frz_codec codec_of(int32_t number, bool *known_out)
{
    static const frz_codec codecs[] = {
        FRZ_CODEC_NONE,   FRZ_CODEC_SNAPPY,     FRZ_CODEC_GZIP, FRZ_CODEC_NONE,
        FRZ_CODEC_BROTLI, FRZ_CODEC_LZ4_HADOOP, FRZ_CODEC_ZSTD, FRZ_CODEC_LZ4_RAW,
    };
    enum { LZO = 3, COUNT = sizeof codecs / sizeof codecs[0] };
    *known_out = number >= 0 && number < COUNT && number != LZO;
    return *known_out ? codecs[number] : FRZ_CODEC_NONE;
}

static uint32_t read_encodings(frz_thrift_reader *reader, frz_thrift_type type)
{
    const size_t count = frz_thrift_list(reader, type, FRZ_THRIFT_I32);
    uint32_t set = 0;
    for (size_t i = 0; i < count && !reader->cursor.failed; i++) {
        const int32_t encoding = frz_thrift_i32(reader, FRZ_THRIFT_I32);
        if (encoding >= 0 && encoding < 32)
            set |= 1u << encoding;
    }
    return set;
}

/* PageEncodingStats: whether there are data pages, all of them dictionary encoded ("can be used to
 * determine if all data pages are dictionary encoded for example"). */
static bool read_encoding_stats(frz_thrift_reader *reader, frz_thrift_type type)
{
    const size_t count = frz_thrift_list(reader, type, FRZ_THRIFT_STRUCT);
    bool any = false;
    bool other = false;
    for (size_t i = 0; i < count && !reader->cursor.failed; i++) {
        int32_t values[4] = {0, FRZ_PARQUET_PAGE_DATA, FRZ_PARQUET_PLAIN, 0};
        const int16_t outer = frz_thrift_struct_begin(reader);
        for (frz_thrift_field field; frz_thrift_field_next(reader, &field);) {
            if (field.id >= 1 && field.id <= 3)
                values[field.id] = frz_thrift_i32(reader, field.type);
            else
                frz_thrift_skip(reader, field.type);
        }
        frz_thrift_struct_end(reader, outer);
        const bool data =
            values[1] != FRZ_PARQUET_PAGE_DICTIONARY && values[1] != FRZ_PARQUET_PAGE_INDEX;
        const bool indexed =
            values[2] == FRZ_PARQUET_PLAIN_DICTIONARY || values[2] == FRZ_PARQUET_RLE_DICTIONARY;
        any = any || (data && indexed && values[3] > 0);
        other = other || (data && !indexed && values[3] != 0);
    }
    return any && !other;
}

enum { COLUMN_REQUIRED = 1u << 1 | 1u << 4 | 1u << 5 | 1u << 7 | 1u << 9 };

/* One field of ColumnMetaData. */
static void read_column_field(footer_parser *parser, frz_thrift_field field,
                              const frz_parquet_node *leaf, frz_parquet_column_chunk *out)
{
    frz_thrift_reader *reader = &parser->reader;
    switch (field.id) {
    case 1:
        if (frz_thrift_i32(reader, field.type) != (int32_t)leaf->type)
            frz_thrift_fail(reader, "a column chunk has another type than its schema element");
        return;
    case 2:
        out->encodings = read_encodings(reader, field.type);
        return;
    case 4:
        out->codec_number = frz_thrift_i32(reader, field.type);
        return;
    case 5:
        out->value_count = frz_thrift_i64(reader, field.type);
        return;
    case 6:
        out->uncompressed_size = frz_thrift_i64(reader, field.type);
        return;
    case 7:
        out->compressed_size = frz_thrift_i64(reader, field.type);
        return;
    case 9:
        out->data_page_offset = frz_thrift_i64(reader, field.type);
        return;
    case 10:
        out->index_page_offset = frz_thrift_i64(reader, field.type);
        return;
    case 11:
        out->dictionary_page_offset = frz_thrift_i64(reader, field.type);
        return;
    case 12:
        if (field.type == FRZ_THRIFT_STRUCT)
            frz_parquet_statistics_read(reader, leaf, &out->statistics);
        else
            frz_thrift_skip(reader, field.type);
        return;
    case 13:
        if (field.type == FRZ_THRIFT_LIST)
            out->all_dictionary = read_encoding_stats(reader, field.type);
        else
            frz_thrift_skip(reader, field.type);
        return;
    case 14:
        out->bloom_filter_offset = frz_thrift_i64(reader, field.type);
        return;
    case 15:
        out->bloom_filter_size = frz_thrift_i32(reader, field.type);
        return;
    default:
        frz_thrift_skip(reader, field.type);
    }
}

static void read_column_metadata(footer_parser *parser, const frz_parquet_node *leaf,
                                 frz_parquet_column_chunk *out)
{
    frz_thrift_reader *reader = &parser->reader;
    uint32_t seen = 0;
    const int16_t outer = frz_thrift_struct_begin(reader);
    for (frz_thrift_field field; frz_thrift_field_next(reader, &field);) {
        if (field.id > 0 && field.id < 32)
            seen |= 1u << field.id;
        read_column_field(parser, field, leaf, out);
    }
    frz_thrift_struct_end(reader, outer);
    if ((seen & COLUMN_REQUIRED) != COLUMN_REQUIRED)
        frz_thrift_fail(reader, "a column chunk lacks a required field");
    if (out->value_count < 0 || out->compressed_size < 0 || out->data_page_offset < 0)
        frz_thrift_fail(reader, "a column chunk has a negative count, size or offset");
}

/* A dictionary page comes first (Encodings.md); writers that have none put 0 or leave the field
 * away, and some put an offset behind the data. */
static void tidy_offsets(frz_parquet_column_chunk *chunk)
{
    if (chunk->dictionary_page_offset <= 0 ||
        chunk->dictionary_page_offset >= chunk->data_page_offset)
        chunk->dictionary_page_offset = -1;
    if (chunk->index_page_offset <= 0)
        chunk->index_page_offset = -1;
    if (chunk->bloom_filter_offset <= 0)
        chunk->bloom_filter_offset = -1;
    if (chunk->offset_index_offset <= 0 || chunk->offset_index_size <= 0)
        chunk->offset_index_offset = -1;
    if (chunk->column_index_offset <= 0 || chunk->column_index_size <= 0)
        chunk->column_index_offset = -1;
    chunk->codec = codec_of(chunk->codec_number, &chunk->codec_known);
}

static void read_column_chunk(footer_parser *parser, const frz_parquet_node *leaf,
                              frz_parquet_column_chunk *out)
{
    frz_thrift_reader *reader = &parser->reader;
    *out = (frz_parquet_column_chunk){.type = leaf->type,
                                      .bloom_filter_size = -1,
                                      .statistics = frz_parquet_statistics_unknown()};
    bool has_metadata = false;
    const int16_t outer = frz_thrift_struct_begin(reader);
    for (frz_thrift_field field; frz_thrift_field_next(reader, &field);) {
        if (field.id == 1) {
            out->file_path = read_text(parser, field.type);
        } else if (field.id == 3 && field.type == FRZ_THRIFT_STRUCT) {
            read_column_metadata(parser, leaf, out);
            has_metadata = true;
        } else if (field.id == 4) {
            out->offset_index_offset = frz_thrift_i64(reader, field.type);
        } else if (field.id == 5) {
            out->offset_index_size = frz_thrift_i32(reader, field.type);
        } else if (field.id == 6) {
            out->column_index_offset = frz_thrift_i64(reader, field.type);
        } else if (field.id == 7) {
            out->column_index_size = frz_thrift_i32(reader, field.type);
        } else {
            out->encrypted = out->encrypted || field.id == 8 || field.id == 9;
            frz_thrift_skip(reader, field.type);
        }
    }
    frz_thrift_struct_end(reader, outer);
    if (!has_metadata && !out->encrypted)
        frz_thrift_fail(reader, "a column chunk has no metadata");
    tidy_offsets(out);
}

static frz_status read_columns(footer_parser *parser, frz_thrift_type type,
                               frz_parquet_row_group *group)
{
    frz_thrift_reader *reader = &parser->reader;
    const frz_parquet_metadata *out = parser->out;
    const size_t count = frz_thrift_list(reader, type, FRZ_THRIFT_STRUCT);
    FRZ_TRY(check(parser));
    if (count != out->leaf_count)
        return frz_fail(parser->err, FRZ_CORRUPT, parser->start,
                        "Parquet footer: a row group has %zu column chunks, its schema %zu columns",
                        count, out->leaf_count);
    group->columns = frz_arena_array(parser->arena, count, sizeof *group->columns);
    if (!group->columns)
        return frz_fail_memory(parser->err);
    for (size_t i = 0; i < count && !reader->cursor.failed; i++)
        read_column_chunk(parser, out->leaves[i], &group->columns[i]);
    return check(parser);
}

/* RowGroup.file_offset is missing in old files and wrong in some of parquet-mr's (PARQUET-2078):
 * the first page of the first column is what it should say. */
static int64_t first_page_offset(const frz_parquet_metadata *metadata,
                                 const frz_parquet_row_group *group)
{
    if (metadata->leaf_count == 0)
        return 0;
    const frz_parquet_column_chunk *first = &group->columns[0];
    return first->dictionary_page_offset >= 0 ? first->dictionary_page_offset
                                              : first->data_page_offset;
}

static frz_status read_row_group(footer_parser *parser, int64_t first_row,
                                 frz_parquet_row_group *group)
{
    frz_thrift_reader *reader = &parser->reader;
    bool has_rows = false;
    const int16_t outer = frz_thrift_struct_begin(reader);
    for (frz_thrift_field field; frz_thrift_field_next(reader, &field);) {
        if (field.id == 1) {
            FRZ_TRY(read_columns(parser, field.type, group));
        } else if (field.id == 2) {
            group->total_size = frz_thrift_i64(reader, field.type);
        } else if (field.id == 3) {
            group->row_count = frz_thrift_i64(reader, field.type);
            has_rows = true;
        } else {
            frz_thrift_skip(reader, field.type);
        }
    }
    frz_thrift_struct_end(reader, outer);
    FRZ_TRY(check(parser));
    if (!has_rows || !group->columns)
        return corrupt(parser, "a row group lacks its columns or its row count");
    if (group->row_count < 0 || group->row_count > INT64_MAX - first_row)
        return frz_fail(parser->err, FRZ_CORRUPT, parser->start,
                        "Parquet footer: a row group of %lld rows", (long long)group->row_count);
    group->first_row = first_row;
    group->file_offset = first_page_offset(parser->out, group);
    return FRZ_OK;
}

static frz_status read_row_groups(footer_parser *parser)
{
    frz_parquet_metadata *out = parser->out;
    parser->reader = parser->row_groups;
    const size_t count = frz_thrift_list(&parser->reader, FRZ_THRIFT_LIST, FRZ_THRIFT_STRUCT);
    FRZ_TRY(check(parser));
    out->row_groups = frz_arena_array(parser->arena, count, sizeof *out->row_groups);
    if (!out->row_groups)
        return frz_fail_memory(parser->err);
    int64_t rows = 0;
    for (size_t i = 0; i < count; i++) {
        const frz_status status = read_row_group(parser, rows, &out->row_groups[i]);
        if (status != FRZ_OK)
            return frz_context(parser->err, status, "row group %zu", i);
        rows += out->row_groups[i].row_count;
    }
    out->row_group_count = count;
    if (out->row_count == 0) /* parquet-rs 0.3 left it 0 */
        out->row_count = rows;
    if (rows != out->row_count)
        return frz_fail(parser->err, FRZ_CORRUPT, parser->start,
                        "Parquet footer: %lld rows in the file, but %lld in its row groups",
                        (long long)out->row_count, (long long)rows);
    return FRZ_OK;
}

/* parquet.thrift, FileMetaData.column_orders: without them "the meaning of min_value and max_value
 * is undefined". */
static void apply_orders(footer_parser *parser, frz_parquet_node *node)
{
    if (node->shape == FRZ_PARQUET_SHAPE_LEAF) {
        const size_t leaf = (size_t)node->leaf_index;
        node->ordered = leaf < parser->order_count && parser->orders[leaf];
        parser->out->type_defined_order = parser->out->type_defined_order && node->ordered;
    }
    for (size_t i = 0; i < node->child_count; i++)
        apply_orders(parser, &node->children[i]); /* as deep as the tree, which is limited */
}

static frz_status parse(footer_parser *parser)
{
    frz_thrift_reader *reader = &parser->reader;
    (void)frz_thrift_struct_begin(reader);
    for (frz_thrift_field field; frz_thrift_field_next(reader, &field);)
        FRZ_TRY(read_file_field(parser, field));
    FRZ_TRY(check(parser));
    if (!parser->out->leaves)
        return corrupt(parser, "no schema");
    if (!parser->has_row_groups || !parser->has_row_count || parser->out->row_count < 0)
        return corrupt(parser, "no row groups, or no row count");
    parser->out->type_defined_order = parser->out->leaf_count > 0;
    apply_orders(parser, &parser->out->root);
    return read_row_groups(parser);
}

frz_status frz_parquet_metadata_parse(frz_slice footer, uint64_t start, const frz_limits *limits,
                                      frz_arena *arena, frz_parquet_metadata *out, frz_error **err)
{
    if (!limits)
        limits = &frz_limits_default;
    *out = (frz_parquet_metadata){0};
    footer_parser parser = {.reader = frz_thrift_reader_over(footer, limits->nesting_depth),
                            .limits = limits,
                            .arena = arena,
                            .out = out,
                            .start = start,
                            .err = err};
    const frz_status status = parse(&parser);
    if (status != FRZ_OK)
        *out = (frz_parquet_metadata){0};
    return status;
}
