/*
 * Whether two Arrow columns hold the same values, whatever their offsets, and a seeded source of
 * random columns of any plain type.
 */
#ifndef FRZ_TEST_ARROW_EQUAL_H
#define FRZ_TEST_ARROW_EQUAL_H

#include "arrow/array.h"
#include "arrow/builder.h"
#include "arrow/schema.h"
#include "harness.h"

static inline bool rows_equal(const struct ArrowSchema *schema, const struct ArrowArray *a,
                              int64_t a_row, const struct ArrowArray *b, int64_t b_row);

/* Children of one row: struct fields, list items, map entries. */
static inline bool nested_rows_equal(const struct ArrowSchema *schema, bool list,
                                     const struct ArrowArray *a, int64_t a_row,
                                     const struct ArrowArray *b, int64_t b_row)
{
    if (!list) {
        for (int64_t i = 0; i < schema->n_children; i++)
            if (!rows_equal(schema->children[i], a->children[i], a->offset + a_row, b->children[i],
                            b->offset + b_row))
                return false;
        return true;
    }
    const int32_t *a_ends = (const int32_t *)a->buffers[1] + a->offset + a_row;
    const int32_t *b_ends = (const int32_t *)b->buffers[1] + b->offset + b_row;
    if (a_ends[1] - a_ends[0] != b_ends[1] - b_ends[0])
        return false;
    for (int32_t i = 0; i < a_ends[1] - a_ends[0]; i++)
        if (!rows_equal(schema->children[0], a->children[0], a_ends[0] + i, b->children[0],
                        b_ends[0] + i))
            return false;
    return true;
}

static inline bool rows_equal(const struct ArrowSchema *schema, const struct ArrowArray *a,
                              int64_t a_row, const struct ArrowArray *b, int64_t b_row)
{
    frz_arrow_type type;
    CHECK(frz_arrow_type_parse(schema->format, &type, NULL) == FRZ_OK);
    const bool null = frz_arrow_is_null(a, a_row);
    if (null != frz_arrow_is_null(b, b_row))
        return false;
    if (null || type.kind == FRZ_ARROW_NULL)
        return true;
    const int64_t a_at = a->offset + a_row;
    const int64_t b_at = b->offset + b_row;
    if (type.kind == FRZ_ARROW_STRUCT)
        return nested_rows_equal(schema, false, a, a_row, b, b_row);
    if (type.kind == FRZ_ARROW_LIST || type.kind == FRZ_ARROW_MAP)
        return nested_rows_equal(schema, true, a, a_row, b, b_row);
    if (type.kind == FRZ_ARROW_BOOL)
        return frz_bit_get(a->buffers[1], a_at) == frz_bit_get(b->buffers[1], b_at);
    if (type.kind == FRZ_ARROW_STRING || type.kind == FRZ_ARROW_BINARY) {
        const int32_t *a_ends = (const int32_t *)a->buffers[1] + a_at;
        const int32_t *b_ends = (const int32_t *)b->buffers[1] + b_at;
        return frz_slice_equal(frz_slice_of((const uint8_t *)a->buffers[2] + a_ends[0],
                                            (size_t)(a_ends[1] - a_ends[0])),
                               frz_slice_of((const uint8_t *)b->buffers[2] + b_ends[0],
                                            (size_t)(b_ends[1] - b_ends[0])));
    }
    const size_t width = frz_arrow_type_width(&type);
    CHECK(width > 0);
    return memcmp((const uint8_t *)a->buffers[1] + (size_t)a_at * width,
                  (const uint8_t *)b->buffers[1] + (size_t)b_at * width, width) == 0;
}

/* xorshift64*: small, and the same everywhere. */
static inline uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * UINT64_C(2685821657736338717);
}

/* One random value, a fifth of them null where the schema allows. */
static inline void append_random(frz_arrow_builder *builder, const struct ArrowSchema *schema,
                                 uint64_t *seed)
{
    frz_arrow_type type;
    CHECK(frz_arrow_type_parse(schema->format, &type, NULL) == FRZ_OK);
    const uint64_t number = next_random(seed);
    if ((schema->flags & ARROW_FLAG_NULLABLE) && number % 5 == 0) {
        frz_arrow_append_null(builder);
    } else if (type.kind == FRZ_ARROW_STRUCT) {
        for (int64_t i = 0; i < schema->n_children; i++)
            append_random(frz_arrow_builder_child(builder, (size_t)i), schema->children[i], seed);
        frz_arrow_append_struct(builder);
    } else if (type.kind == FRZ_ARROW_LIST || type.kind == FRZ_ARROW_MAP) {
        for (uint64_t i = 0; i < number / 5 % 4; i++)
            append_random(frz_arrow_builder_child(builder, 0), schema->children[0], seed);
        frz_arrow_append_list(builder);
    } else if (type.kind == FRZ_ARROW_BOOL) {
        frz_arrow_append_bool(builder, number & 64);
    } else if (type.kind == FRZ_ARROW_STRING || type.kind == FRZ_ARROW_BINARY) {
        char text[32];
        const int size = snprintf(text, sizeof text, "%llu", (unsigned long long)(number >> 40));
        frz_arrow_append_bytes(builder, frz_slice_of(text, (size_t)size % (number / 5 % 9 + 1)));
    } else if (type.kind == FRZ_ARROW_FIXED) {
        uint8_t bytes[64] = {0};
        memcpy(bytes, &number, sizeof number);
        frz_arrow_append_bytes(builder, frz_slice_of(bytes, (size_t)type.width));
    } else if (type.kind == FRZ_ARROW_DECIMAL) {
        const frz_int128 limit = frz_decimal_power(type.precision);
        const frz_int128 wide = ((frz_int128)number << 60) * 7 + (frz_int128)number;
        frz_arrow_append_decimal(builder, wide % limit * (number & 8 ? 1 : -1));
    } else if (type.kind == FRZ_ARROW_FLOAT || type.kind == FRZ_ARROW_DOUBLE) {
        frz_arrow_append_f64(builder, (double)(int64_t)number / 1e6);
    } else if (number & 16) {
        frz_arrow_append_i64(builder, (int64_t)(number >> 57)); /* few values, for dictionaries */
    } else {
        frz_arrow_append_i64(builder, (int64_t)number);
    }
}

/* A column of `length` random rows. */
static inline struct ArrowArray random_array(const struct ArrowSchema *schema, int64_t length,
                                             uint64_t seed)
{
    frz_error *err = NULL;
    frz_arrow_builder *builder = NULL;
    struct ArrowArray array = {0};
    CHECK_OK(frz_arrow_builder_new(schema, &builder, &err), err);
    for (int64_t i = 0; i < length; i++)
        append_random(builder, schema, &seed);
    CHECK_OK(frz_arrow_builder_finish(builder, &array, &err), err);
    frz_arrow_builder_free(builder);
    return array;
}

/*
 * A schema from text: format, then children in brackets, fields split by blanks; "!" behind a
 * format makes it required. Names are "c0", "c1", ...; field ids count from 1 in order of
 * appearance.
 * "+s[i l! +l[u] +m[+s![u! i]]]"
 */
static inline void parse_schema_node(const char **at, int index, int32_t *id,
                                     struct ArrowSchema *out)
{
    frz_error *err = NULL;
    char format[32];
    char name[16];
    size_t size = 0;
    while (**at && !strchr("[]! ", **at))
        format[size++] = *(*at)++;
    format[size] = '\0';
    const bool required = **at == '!';
    *at += required;
    int64_t count = 0;
    if (**at == '[') {
        int depth = 0;
        count = 1;
        for (const char *c = *at; depth || c == *at; c++) {
            depth += (*c == '[') - (*c == ']');
            count += depth == 1 && *c == ' ';
        }
    }
    (void)snprintf(name, sizeof name, "c%d", index);
    CHECK_OK(frz_arrow_schema_init(out, format, name, !required, (*id)++, count, &err), err);
    for (int64_t i = 0; i < count; i++) {
        ++*at; /* the bracket or the blank */
        parse_schema_node(at, (int)i, id, out->children[i]);
    }
    *at += count > 0; /* the closing bracket */
}

static inline struct ArrowSchema parse_schema(const char *text)
{
    struct ArrowSchema schema;
    int32_t id = 0;
    parse_schema_node(&text, 0, &id, &schema);
    CHECK(*text == '\0');
    return schema;
}

#endif
