/*
 * A schema with a column of every type, and short ways to parse, print and compare expressions over
 * it.
 */
#ifndef FRZ_TEST_EXPR_SAMPLE_H
#define FRZ_TEST_EXPR_SAMPLE_H

#include "harness.h"

#include "base/buffer.h"
#include "expr/expression.h"

static const frz_type decimal_9_2 = {.kind = FRZ_TYPE_DECIMAL, .precision = 9, .scale = 2};
static const frz_type decimal_38_10 = {.kind = FRZ_TYPE_DECIMAL, .precision = 38, .scale = 10};
static const frz_type fixed_4 = {.kind = FRZ_TYPE_FIXED, .length = 4};

/* NULL when memory is short. */
static inline frz_schema *sample_schema(void)
{
    const frz_type *const integer = frz_type_of(FRZ_TYPE_INT);
    const frz_type *const longer = frz_type_of(FRZ_TYPE_LONG);
    const frz_type *const text = frz_type_of(FRZ_TYPE_STRING);
    const frz_field st_fields[] = {{.id = 18, .name = "a", .type = integer},
                                   {.id = 19, .name = "b", .type = text},
                                   {.id = 20, .name = "req", .required = true, .type = longer}};
    const frz_field lst_fields[] = {{.id = 33, .name = "x", .type = longer}};
    const frz_type st = {.kind = FRZ_TYPE_STRUCT, .fields = st_fields, .field_count = 3};
    const frz_type lst_item = {.kind = FRZ_TYPE_STRUCT, .fields = lst_fields, .field_count = 1};
    const frz_field ls_fields[] = {{.id = 22, .name = "element", .type = integer}};
    const frz_field m_fields[] = {{.id = 24, .name = "key", .required = true, .type = text},
                                  {.id = 25, .name = "value", .type = integer}};
    const frz_field lst_element[] = {{.id = 32, .name = "element", .type = &lst_item}};
    const frz_type ls = {.kind = FRZ_TYPE_LIST, .fields = ls_fields, .field_count = 1};
    const frz_type m = {.kind = FRZ_TYPE_MAP, .fields = m_fields, .field_count = 2};
    const frz_type lst = {.kind = FRZ_TYPE_LIST, .fields = lst_element, .field_count = 1};
    const frz_field fields[] = {
        {.id = 1, .name = "b", .type = frz_type_of(FRZ_TYPE_BOOLEAN)},
        {.id = 2, .name = "i", .type = integer},
        {.id = 3, .name = "l", .type = longer},
        {.id = 4, .name = "f", .type = frz_type_of(FRZ_TYPE_FLOAT)},
        {.id = 5, .name = "d", .type = frz_type_of(FRZ_TYPE_DOUBLE)},
        {.id = 6, .name = "dec", .type = &decimal_9_2},
        {.id = 7, .name = "dt", .type = frz_type_of(FRZ_TYPE_DATE)},
        {.id = 8, .name = "tm", .type = frz_type_of(FRZ_TYPE_TIME)},
        {.id = 9, .name = "ts", .type = frz_type_of(FRZ_TYPE_TIMESTAMP)},
        {.id = 10, .name = "tz", .type = frz_type_of(FRZ_TYPE_TIMESTAMPTZ)},
        {.id = 11, .name = "tn", .type = frz_type_of(FRZ_TYPE_TIMESTAMP_NS)},
        {.id = 12, .name = "zn", .type = frz_type_of(FRZ_TYPE_TIMESTAMPTZ_NS)},
        {.id = 13, .name = "s", .type = text},
        {.id = 14, .name = "u", .type = frz_type_of(FRZ_TYPE_UUID)},
        {.id = 15, .name = "fx", .type = &fixed_4},
        {.id = 16, .name = "bin", .type = frz_type_of(FRZ_TYPE_BINARY)},
        {.id = 17, .name = "st", .type = &st},
        {.id = 21, .name = "ls", .type = &ls},
        {.id = 23, .name = "m", .type = &m},
        {.id = 26, .name = "id", .required = true, .type = longer},
        {.id = 27, .name = "a.b", .type = text},
        {.id = 28, .name = "weird \"name", .type = integer},
        {.id = 29, .name = "unk", .type = frz_type_of(FRZ_TYPE_UNKNOWN)},
        {.id = 30, .name = "dec38", .type = &decimal_38_10},
        {.id = 31, .name = "lst", .type = &lst},
        {.id = 34, .name = "AMB", .type = integer},
        {.id = 35, .name = "amb", .type = integer},
    };
    frz_schema *schema = NULL;
    frz_error *err = NULL;
    const frz_status status =
        frz_schema_new(7, fields, sizeof fields / sizeof fields[0], NULL, 0, &schema, &err);
    CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
    frz_error_free(err);
    return schema;
}

/* The partition type that _partition has in these tests. */
static inline const frz_type *sample_partition(void)
{
    static frz_field fields[2];
    static frz_type type;
    fields[0] = (frz_field){.id = 1000, .name = "p", .type = frz_type_of(FRZ_TYPE_INT)};
    fields[1] = (frz_field){.id = 2, .name = "q", .type = frz_type_of(FRZ_TYPE_STRING)};
    type = (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = 2};
    return &type;
}

static inline const frz_expr *sample_parse(const frz_schema *schema, const char *text,
                                           frz_arena *arena)
{
    const frz_expr *expr = NULL;
    frz_error *err = NULL;
    const frz_status status = frz_expr_parse(
        frz_slice_of_text(text), &(const frz_expr_scope){schema, sample_partition(), true, true},
        arena, &expr, &err);
    if (status != FRZ_OK)
        fail_msg("%s: %s", text, frz_error_message(err));
    return expr;
}

/* Whether the tree prints as `want`; the text is shown when not. */
static inline void check_prints(const frz_expr *expr, const char *want, const char *from)
{
    frz_buffer out = {0};
    frz_expr_print(expr, &out);
    frz_buffer_append_byte(&out, 0);
    if (strcmp((const char *)out.data, want) != 0)
        fail_msg("%s\n   gives %s\n    want %s", from, (const char *)out.data, want);
    frz_buffer_clear(&out);
}

/* `text` parses to a tree that prints as `want`, and that text parses to the same again. */
static inline void check_parses(const frz_schema *schema, const char *text, const char *want)
{
    frz_arena arena = {0};
    check_prints(sample_parse(schema, text, &arena), want, text);
    check_prints(sample_parse(schema, want, &arena), want, want);
    frz_arena_clear(&arena);
}

/* `text` does not parse: FRZ_INVALID, at this byte, with this in the message. */
static inline void check_refused(const frz_schema *schema, const char *text, uint64_t offset,
                                 const char *message)
{
    frz_arena arena = {0};
    const frz_expr *expr = NULL;
    frz_error *err = NULL;
    uint64_t got = UINT64_MAX;
    const frz_status status = frz_expr_parse(
        frz_slice_of_text(text), &(const frz_expr_scope){schema, sample_partition(), true, true},
        &arena, &expr, &err);
    if (status != FRZ_INVALID || expr)
        fail_msg("%s: status %s: %s", text, frz_status_name(status), frz_error_message(err));
    if (!frz_error_offset(err, &got) || got != offset || !strstr(frz_error_message(err), message))
        fail_msg("%s: offset %d, want %d: \"%s\" must have \"%s\"", text, (int)got, (int)offset,
                 frz_error_message(err), message);
    frz_error_free(err);
    frz_arena_clear(&arena);
}

#endif
