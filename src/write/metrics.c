#include "write/metrics.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "arrow/schema.h"
#include "base/decimal.h"
#include "base/fail.h"
#include "base/number.h"
#include "base/utf8.h"
#include "catalog/catalog.h"

enum { TRUNCATE_DEFAULT = 16, INFERRED_COLUMNS_DEFAULT = 100 };

static const char column_prefix[] = "write.metadata.metrics.column.";

frz_status frz_metrics_mode_parse(const char *text, frz_metrics_mode *out, frz_error **err)
{
    static const char head[] = "truncate(";
    const size_t size = strlen(text);
    int64_t length = 0;
    if (strcasecmp(text, "none") == 0)
        *out = (frz_metrics_mode){FRZ_METRICS_NONE, 0};
    else if (strcasecmp(text, "counts") == 0)
        *out = (frz_metrics_mode){FRZ_METRICS_COUNTS, 0};
    else if (strcasecmp(text, "full") == 0)
        *out = (frz_metrics_mode){FRZ_METRICS_FULL, 0};
    else if (strncasecmp(text, head, strlen(head)) == 0 && text[size - 1] == ')' &&
             frz_number_parse_i64(text + strlen(head), size - strlen(head) - 1, &length) &&
             length > 0 && length <= INT32_MAX)
        *out = (frz_metrics_mode){FRZ_METRICS_TRUNCATE, (int32_t)length};
    else
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "metrics mode \"%s\": expected none, counts, truncate(N) or full", text);
    return FRZ_OK;
}

/* The position of a field in the schema's pre-order; the count when it is not there. */
static size_t index_of(const frz_schema *schema, const frz_field *field)
{
    const size_t count = frz_schema_field_count(schema);
    for (size_t i = 0; i < count; i++) {
        if (frz_schema_field_at(schema, i) == field)
            return i;
    }
    return count;
}

typedef struct inference {
    const frz_schema *schema;
    frz_metrics_mode *modes;
    frz_metrics_mode mode;
    int64_t left;
} inference;

/* The first columns get the default mode: those of a level before those nested in it, as Java
 * counts. */
static void infer_level(inference *self, const frz_type *type)
{
    for (size_t i = 0; i < type->field_count && self->left > 0; i++) {
        if (!frz_type_is_primitive(type->fields[i].type))
            continue;
        const frz_field *field = frz_schema_find_id(self->schema, type->fields[i].id);
        self->modes[index_of(self->schema, field)] = self->mode;
        self->left--;
    }
    for (size_t i = 0; i < type->field_count && self->left > 0; i++)
        infer_level(self, type->fields[i].type);
}

static void promote_sorted(const frz_metadata *metadata, const frz_schema *schema,
                           frz_metrics_mode *modes)
{
    const frz_sort_order *order =
        frz_metadata_find_sort_order(metadata, metadata->default_sort_order_id);
    for (size_t i = 0; order && i < order->field_count; i++) {
        const frz_field *field = frz_schema_find_id(schema, order->fields[i].source_ids[0]);
        if (!field || !frz_transform_preserves_order(&order->fields[i].transform))
            continue;
        frz_metrics_mode *mode = &modes[index_of(schema, field)];
        if (mode->kind < FRZ_METRICS_TRUNCATE)
            *mode = (frz_metrics_mode){FRZ_METRICS_TRUNCATE, TRUNCATE_DEFAULT};
    }
}

static frz_status apply_columns(const frz_metadata *metadata, const frz_schema *schema,
                                frz_metrics_mode *modes, frz_error **err)
{
    for (size_t i = 0; i < metadata->property_count; i++) {
        const frz_property *property = &metadata->properties[i];
        if (strncmp(property->key, column_prefix, strlen(column_prefix)) != 0)
            continue;
        const frz_slice path = frz_slice_of_text(property->key + strlen(column_prefix));
        const frz_field *field = frz_schema_find_name(schema, path, true);
        frz_metrics_mode mode;
        const frz_status status = frz_metrics_mode_parse(property->value, &mode, err);
        if (status != FRZ_OK)
            return frz_context(err, status, "table property %s", property->key);
        if (field) /* a property may outlive its column */
            modes[index_of(schema, field)] = mode;
    }
    return FRZ_OK;
}

frz_status frz_metrics_config_read(const frz_metadata *metadata, const frz_schema *schema,
                                   frz_arena *arena, frz_metrics_config *out, frz_error **err)
{
    inference self = {.schema = schema,
                      .mode = {FRZ_METRICS_TRUNCATE, TRUNCATE_DEFAULT},
                      .left = INFERRED_COLUMNS_DEFAULT};
    const char *set = frz_metadata_property(metadata, "write.metadata.metrics.default");
    if (set) {
        const frz_status status = frz_metrics_mode_parse(set, &self.mode, err);
        if (status != FRZ_OK)
            return frz_context(err, status, "table property write.metadata.metrics.default");
    }
    FRZ_TRY(frz_metadata_property_i64(metadata,
                                      "write.metadata.metrics.max-inferred-column-defaults",
                                      INFERRED_COLUMNS_DEFAULT, &self.left, err));
    self.modes = frz_arena_array(arena, frz_schema_field_count(schema) + 1, sizeof *self.modes);
    if (!self.modes)
        return frz_fail_memory(err);
    infer_level(&self, frz_schema_type(schema));
    promote_sorted(metadata, schema, self.modes);
    FRZ_TRY(apply_columns(metadata, schema, self.modes, err));
    *out = (frz_metrics_config){schema, self.modes};
    return FRZ_OK;
}

frz_metrics_mode frz_metrics_config_mode(const frz_metrics_config *config, const frz_field *field)
{
    return config->modes[index_of(config->schema, field)];
}

/* Bytes of the first `length` units of a value; false when it is no UTF-8 up to there. */
static bool prefix_size(frz_slice value, bool text, int32_t length, size_t *out)
{
    size_t at = 0;
    if (!text) {
        *out = value.size < (size_t)length ? value.size : (size_t)length;
        return true;
    }
    for (int32_t i = 0; i < length && at < value.size; i++) {
        const size_t size = frz_utf8_size(value.data + at, value.size - at);
        if (size == 0)
            return false;
        at += size;
    }
    *out = at;
    return true;
}

bool frz_bound_truncate_lower(frz_slice value, bool text, int32_t length, frz_slice *out)
{
    size_t size = 0;
    if (!prefix_size(value, text, length, &size))
        return false;
    *out = frz_slice_of(value.data, size);
    return true;
}

/* Raises the last unit that can be raised and drops what follows it; false when none can. In place;
 * `copy` has room for three bytes more, since a successor may be longer. */
static bool increment(uint8_t *copy, size_t *size, bool text)
{
    while (*size > 0) {
        if (!text) {
            const size_t last = *size - 1;
            if (copy[last] != 0xff) {
                copy[last]++;
                return true;
            }
            *size = last;
            continue;
        }
        const size_t start = frz_utf8_start(copy, *size - 1);
        const uint32_t next = frz_utf8_successor(frz_utf8_get(copy + start, *size - start));
        *size = start;
        if (next != 0) {
            *size += frz_utf8_put(next, copy + start);
            return true;
        }
    }
    return false;
}

bool frz_bound_truncate_upper(frz_slice value, bool text, int32_t length, frz_arena *arena,
                              frz_slice *out)
{
    size_t size = 0;
    if (!prefix_size(value, text, length, &size))
        return false;
    if (size == value.size) {
        *out = value;
        return true;
    }
    uint8_t *copy = frz_arena_alloc(arena, size + 4);
    if (!copy)
        return false;
    memcpy(copy, value.data, size);
    if (!increment(copy, &size, text))
        return false;
    *out = frz_slice_of(copy, size);
    return true;
}

/* PLAIN encoding of a decimal, in any of Parquet's physical types, to minimal big-endian (Appendix
 * D). */
static bool decimal_bound(const frz_parquet_node *node, frz_slice plain, frz_arena *arena,
                          frz_slice *out)
{
    frz_int128 value = 0;
    uint8_t bytes[16];
    if (node->type == FRZ_PARQUET_INT32 && plain.size == sizeof(int32_t)) {
        int32_t small = 0;
        memcpy(&small, plain.data, sizeof small);
        value = small;
    } else if (node->type == FRZ_PARQUET_INT64 && plain.size == sizeof(int64_t)) {
        int64_t large = 0;
        memcpy(&large, plain.data, sizeof large);
        value = large;
    } else if (!frz_decimal_from_be(plain, &value)) {
        return false;
    }
    const size_t size = frz_decimal_to_be(value, bytes);
    return frz_arena_slice(arena, frz_slice_of(bytes, size), out);
}

/* Zero of the sign that bounds both zeros: -0.0 below, +0.0 above. */
static bool float_bound(frz_slice plain, bool lower, frz_arena *arena, frz_slice *out)
{
    uint8_t *copy = frz_arena_alloc(arena, plain.size);
    if (!copy)
        return false;
    memcpy(copy, plain.data, plain.size);
    bool zero = (copy[plain.size - 1] & 0x7f) == 0;
    for (size_t i = 0; i + 1 < plain.size; i++)
        zero = zero && copy[i] == 0;
    if (zero)
        copy[plain.size - 1] = lower ? 0x80 : 0;
    *out = frz_slice_of(copy, plain.size);
    return true;
}

static bool bound_of(const frz_type *type, const frz_parquet_leaf_summary *leaf,
                     frz_metrics_mode mode, bool lower, frz_arena *arena, frz_slice *out)
{
    const frz_slice plain = lower ? leaf->min : leaf->max;
    const bool text = type->kind == FRZ_TYPE_STRING;
    frz_slice bound = plain;
    if (type->kind == FRZ_TYPE_DECIMAL)
        return decimal_bound(leaf->node, plain, arena, out);
    if (type->kind == FRZ_TYPE_FLOAT || type->kind == FRZ_TYPE_DOUBLE)
        return plain.size > 0 && float_bound(plain, lower, arena, out);
    if (mode.kind == FRZ_METRICS_TRUNCATE &&
        (text || type->kind == FRZ_TYPE_BINARY || type->kind == FRZ_TYPE_FIXED)) {
        const bool cut = lower ? frz_bound_truncate_lower(plain, text, mode.length, &bound)
                               : frz_bound_truncate_upper(plain, text, mode.length, arena, &bound);
        if (!cut)
            return false;
    }
    return frz_arena_slice(arena, bound, out);
}

static bool is_repeated(const frz_schema *schema, int32_t field_id)
{
    const frz_field *parent = frz_schema_parent(schema, field_id);
    for (; parent; parent = frz_schema_parent(schema, parent->id)) {
        if (parent->type->kind == FRZ_TYPE_LIST || parent->type->kind == FRZ_TYPE_MAP)
            return true;
    }
    return false;
}

static void fill_column(const frz_metrics_config *config, const frz_field *field,
                        const frz_parquet_leaf_summary *leaf, frz_arena *arena,
                        frz_column_metrics *out)
{
    const frz_metrics_mode mode = frz_metrics_config_mode(config, field);
    const bool floating =
        field->type->kind == FRZ_TYPE_FLOAT || field->type->kind == FRZ_TYPE_DOUBLE;
    *out = (frz_column_metrics){.field_id = field->id,
                                .column_size = leaf->compressed_size,
                                .value_count = -1,
                                .null_count = -1,
                                .nan_count = -1};
    if (mode.kind == FRZ_METRICS_NONE)
        return;
    out->value_count = leaf->value_count;
    out->null_count = leaf->null_count;
    if (floating)
        out->nan_count = leaf->nan_count;
    if (mode.kind == FRZ_METRICS_COUNTS || !leaf->has_bounds ||
        is_repeated(config->schema, field->id))
        return;
    out->has_lower = bound_of(field->type, leaf, mode, true, arena, &out->lower);
    out->has_upper = bound_of(field->type, leaf, mode, false, arena, &out->upper);
}

static int compare_ids(const void *a, const void *b)
{
    const int32_t x = ((const frz_column_metrics *)a)->field_id;
    const int32_t y = ((const frz_column_metrics *)b)->field_id;
    return x < y ? -1 : x > y;
}

frz_status frz_metrics_of_summary(const frz_metrics_config *config,
                                  const frz_parquet_summary *summary, frz_arena *arena,
                                  frz_column_metrics **out, size_t *count_out, frz_error **err)
{
    size_t count = 0;
    frz_column_metrics *columns = frz_arena_array(arena, summary->leaf_count + 1, sizeof *columns);
    if (!columns)
        return frz_fail_memory(err);
    for (size_t i = 0; i < summary->leaf_count; i++) {
        const frz_parquet_leaf_summary *leaf = &summary->leaves[i];
        const frz_field *field = leaf->field_id == FRZ_ARROW_NO_FIELD_ID
                                     ? NULL
                                     : frz_schema_find_id(config->schema, leaf->field_id);
        if (field)
            fill_column(config, field, leaf, arena, &columns[count++]);
    }
    qsort(columns, count, sizeof *columns, compare_ids);
    *out = columns;
    *count_out = count;
    return FRZ_OK;
}
