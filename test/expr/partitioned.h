/*
 * Partition specs over the sample schema: every transform on every column that takes it, with the
 * tuples of random rows.
 */
#ifndef FRZ_TEST_EXPR_PARTITIONED_H
#define FRZ_TEST_EXPR_PARTITIONED_H

#include "expr/prune.h"
#include "expr/random.h"
#include "spec/partition.h"

enum { PARTS_MAX = 200 };

typedef struct partitioned {
    int part_count;
    int leaf[PARTS_MAX]; /* the source's leaf column */
    int32_t sources[PARTS_MAX];
    frz_partition_field fields[PARTS_MAX];
    frz_partition_spec spec;
    const frz_type *type;
    frz_arena arena;
} partitioned;

static const frz_transform all_transforms[] = {
    {FRZ_TRANSFORM_IDENTITY, 0, "identity"},
    {FRZ_TRANSFORM_BUCKET, 4, "bucket[4]"},
    {FRZ_TRANSFORM_TRUNCATE, 1, "truncate[1]"},
    {FRZ_TRANSFORM_TRUNCATE, 2, "truncate[2]"},
    {FRZ_TRANSFORM_TRUNCATE, 10, "truncate[10]"},
    {FRZ_TRANSFORM_YEAR, 0, "year"},
    {FRZ_TRANSFORM_MONTH, 0, "month"},
    {FRZ_TRANSFORM_DAY, 0, "day"},
    {FRZ_TRANSFORM_HOUR, 0, "hour"},
    {FRZ_TRANSFORM_VOID, 0, "void"},
    {FRZ_TRANSFORM_UNKNOWN, 0, "zorder[9]"},
};

static inline int32_t source_id(const frz_schema *schema, int leaf)
{
    const frz_field *top = schema_field(schema, leaf_columns[leaf].top);
    return leaf_columns[leaf].inside < 0 ? top->id
                                         : top->type->fields[leaf_columns[leaf].inside].id;
}

static inline void make_parts(partitioned *p, const frz_schema *schema)
{
    frz_error *err = NULL;
    *p = (partitioned){0};
    for (int leaf = 0; leaf < LEAVES; leaf++) {
        for (size_t i = 0; i < sizeof all_transforms / sizeof all_transforms[0]; i++) {
            const int at = p->part_count;
            if (!leaf_columns[leaf].direct ||
                !frz_transform_accepts(&all_transforms[i], leaf_type(schema, leaf)))
                continue;
            CHECK(at < PARTS_MAX);
            p->leaf[at] = leaf;
            p->sources[at] = source_id(schema, leaf);
            p->fields[at] = (frz_partition_field){.source_ids = &p->sources[at],
                                                  .source_count = 1,
                                                  .field_id = 1000 + at,
                                                  .name = all_transforms[i].text,
                                                  .transform = all_transforms[i]};
            p->part_count++;
        }
    }
    p->spec = (frz_partition_spec){
        .spec_id = 1, .fields = p->fields, .field_count = (size_t)p->part_count};
    CHECK_OK(frz_partition_type(&p->spec, schema, NULL, 0, &p->arena, &p->type, &err), err);
}

/* Java's results where ours are refused: 32 or 64 bits wrap around. */
static inline frz_value wrapped_result(const frz_transform *transform, const frz_type *type,
                                       const frz_value *value)
{
    const uint64_t width = (uint64_t)transform->parameter;
    if (transform->kind == FRZ_TRANSFORM_HOUR)
        return integer_value_of((int32_t)(value->integer / INT64_C(3600000000) -
                                          (value->integer % INT64_C(3600000000) < 0)));
    const int64_t rest = ((value->integer % (int64_t)width) + (int64_t)width) % (int64_t)width;
    const uint64_t wrapped = (uint64_t)value->integer - (uint64_t)rest;
    return integer_value_of(type->kind == FRZ_TYPE_INT ? (int32_t)wrapped : (int64_t)wrapped);
}

/*
 * The partition values of a row; false when no writer could make them (a decimal that truncation
 * takes out of its precision). `old_writer` has times before 1970 one too high, as Iceberg 0.10
 * could.
 */
static inline bool make_tuple(partitioned *p, const frz_schema *schema, const frz_value *leaves,
                              bool old_writer, frz_value *out)
{
    for (int i = 0; i < p->part_count; i++) {
        const frz_transform *transform = &p->fields[i].transform;
        const frz_type *source = leaf_type(schema, p->leaf[i]);
        const frz_value *value = &leaves[p->leaf[i]];
        out[i] = (frz_value){.form = FRZ_VALUE_NULL};
        if (transform->kind == FRZ_TRANSFORM_UNKNOWN)
            continue;
        const frz_status status =
            frz_transform_apply(transform, source, value, &p->arena, &out[i], NULL);
        if (status != FRZ_OK && source->kind == FRZ_TYPE_DECIMAL)
            return false;
        if (status != FRZ_OK)
            out[i] = wrapped_result(transform, source, value);
        if (old_writer && transform->kind >= FRZ_TRANSFORM_YEAR &&
            transform->kind <= FRZ_TRANSFORM_HOUR && out[i].form == FRZ_VALUE_INTEGER &&
            out[i].integer < 0)
            out[i].integer++;
    }
    return true;
}

#endif
