#include "maintenance/measures.h"

#include <inttypes.h>

#include "base/fail.h"
#include "maintenance/claims.h"
#include "scan/stored_column.h"
#include "write/row_value.h"

struct frz_measure {
    const frz_field *field;
    frz_column_path path;
    const frz_column_metrics *metrics; /* NULL: the entry has none of it */
    bool has_lower;                    /* and it can be read */
    bool has_upper;
    frz_value lower;
    frz_value upper;
    int64_t nulls;
    int64_t nans;
    int64_t below; /* values below the lower bound */
    int64_t above;
    frz_claims groups;
    frz_claims pages;
};

/* Geo bounds are points of their own form, and have no order ("Bounds" of Appendix D). Of row ids
 * and the like, which stand in a file only where they are not inherited, the rows do not tell what
 * is stored. */
static bool is_measured(const frz_field *field)
{
    const frz_type *type = field->type;
    return field->id <= FRZ_FIELD_ID_MAX && frz_type_is_primitive(type) &&
           type->kind != FRZ_TYPE_GEOMETRY && type->kind != FRZ_TYPE_GEOGRAPHY &&
           type->kind != FRZ_TYPE_UNKNOWN;
}

static size_t count_primitives(const frz_type *type)
{
    size_t count = 0;
    for (size_t i = 0; i < type->field_count; i++) {
        const frz_type *child = type->fields[i].type;
        count += is_measured(&type->fields[i]) ? 1 : 0;
        if (child->kind == FRZ_TYPE_STRUCT)
            count += count_primitives(child);
    }
    return count;
}

static void open_measure(frz_measure *self, const frz_data_file *file, const frz_type *root,
                         const frz_field *field)
{
    const frz_column_metrics *metrics = frz_data_file_metrics(file, field->id);
    self->field = field;
    self->metrics = metrics;
    if (!frz_column_path_find(root, field->id, &self->path))
        self->field = NULL; /* deeper than paths go */
    if (!metrics)
        return;
    self->has_lower = metrics->has_lower &&
                      frz_value_decode(field->type, metrics->lower, &self->lower, NULL) == FRZ_OK &&
                      !frz_value_is_nan(&self->lower);
    self->has_upper = metrics->has_upper &&
                      frz_value_decode(field->type, metrics->upper, &self->upper, NULL) == FRZ_OK &&
                      !frz_value_is_nan(&self->upper);
}

static void open_level(frz_measures *self, const frz_data_file *file, const frz_type *root,
                       const frz_type *type)
{
    for (size_t i = 0; i < type->field_count; i++) {
        const frz_field *field = &type->fields[i];
        if (is_measured(field))
            open_measure(&self->items[self->count++], file, root, field);
        else if (field->type->kind == FRZ_TYPE_STRUCT)
            open_level(self, file, root, field->type);
    }
}

frz_status frz_measures_open(frz_measures *self, frz_verification *verification,
                             const frz_data_file *file, const frz_type *root, frz_arena *arena,
                             frz_error **err)
{
    *self = (frz_measures){.verification = verification};
    self->items = frz_arena_array(arena, count_primitives(root), sizeof *self->items);
    if (!self->items)
        return frz_fail_memory(err);
    open_level(self, file, root, root);
    return FRZ_OK;
}

frz_status frz_measures_open_claims(frz_measures *self, frz_parquet_file *file, frz_arena *arena,
                                    frz_error **err)
{
    for (size_t i = 0; i < self->count; i++) {
        frz_measure *measure = &self->items[i];
        const frz_parquet_node *node =
            measure->field
                ? frz_file_find_node(&frz_parquet_file_metadata(file)->root, measure->field->id)
                : NULL;
        if (!node || node->shape != FRZ_PARQUET_SHAPE_LEAF || node->max_repetition)
            continue;
        const frz_type *type = measure->field->type;
        FRZ_TRY(frz_claims_of_groups(file, node, type, arena, &measure->groups, err));
        FRZ_TRY(frz_claims_of_pages(file, node, type, arena, &measure->pages, err));
        const frz_claims none = {0};
        const frz_value *lower = measure->has_lower ? &measure->lower : NULL;
        const frz_value *upper = measure->has_upper ? &measure->upper : NULL;
        frz_claims_nest(&measure->pages, &measure->groups, lower, upper);
        frz_claims_nest(&measure->groups, &none, lower, upper);
    }
    return FRZ_OK;
}

static void add_value(frz_measure *self, const frz_value *value)
{
    const bool narrow = frz_claims_take(&self->pages, value, false);
    const bool settled = frz_claims_take(&self->groups, value, narrow);
    if (value->form == FRZ_VALUE_NULL) {
        self->nulls++;
        return;
    }
    if (frz_value_is_nan(value)) {
        self->nans++;
        return;
    }
    if (settled)
        return;
    if (self->has_lower && frz_value_compare(value, &self->lower) < 0)
        self->below++;
    if (self->has_upper && frz_value_compare(value, &self->upper) > 0)
        self->above++;
}

void frz_measures_add(frz_measures *self, const struct ArrowArray *batch)
{
    for (size_t i = 0; i < self->count; i++) {
        frz_measure *measure = &self->items[i];
        for (int64_t row = 0; measure->field && row < batch->length; row++) {
            frz_value value = {.form = FRZ_VALUE_NULL};
            frz_column_path_value(&measure->path, batch, row, &value);
            add_value(measure, &value);
        }
    }
    self->rows += batch->length;
}

#define TEXT(...) frz_report_text(self->verification->report, __VA_ARGS__)

static frz_status judge_count(const frz_measures *self, const frz_measure *measure,
                              const frz_place *place, const char *what, int64_t stated,
                              int64_t counted, frz_error **err)
{
    if (stated < 0 || stated == counted)
        return FRZ_OK;
    return frz_report_add(self->verification->report, FRZ_RULE_DATA_METRICS, place,
                          TEXT("%s of %s (column %" PRId32 ") %" PRId64 ", as in the rows", what,
                               measure->field->name, measure->field->id, counted),
                          TEXT("%" PRId64, stated), err);
}

static frz_status judge_bound(const frz_measures *self, const frz_measure *measure,
                              const frz_place *place, bool lower, frz_error **err)
{
    frz_buffer text = {0};
    const int64_t count = lower ? measure->below : measure->above;
    if (count == 0)
        return FRZ_OK;
    frz_value_print(measure->field->type, lower ? &measure->lower : &measure->upper, &text);
    const frz_status status =
        text.failed ? frz_fail_memory(err)
                    : frz_report_add(
                          self->verification->report, FRZ_RULE_DATA_METRICS, place,
                          TEXT("no value of %s (column %" PRId32 ") %s its %s bound %.*s",
                               measure->field->name, measure->field->id, lower ? "below" : "above",
                               lower ? "lower" : "upper", (int)text.size, (const char *)text.data),
                          TEXT("%" PRId64 " rows", count), err);
    frz_buffer_clear(&text);
    return status;
}

static frz_status judge_metrics(const frz_measures *self, const frz_measure *measure,
                                const frz_place *place, frz_error **err)
{
    const frz_column_metrics *metrics = measure->metrics;
    FRZ_TRY(
        judge_count(self, measure, place, "value count", metrics->value_count, self->rows, err));
    FRZ_TRY(
        judge_count(self, measure, place, "null count", metrics->null_count, measure->nulls, err));
    FRZ_TRY(judge_count(self, measure, place, "NaN count", metrics->nan_count, measure->nans, err));
    FRZ_TRY(judge_bound(self, measure, place, true, err));
    return judge_bound(self, measure, place, false, err);
}

static frz_status judge_claims(const frz_measures *self, const frz_measure *measure,
                               const frz_claims *claims, const char *what, const frz_place *place,
                               frz_error **err)
{
    const frz_claim *wrong = frz_claims_find_wrong(claims);
    if (!wrong)
        return FRZ_OK;
    return frz_report_add(
        self->verification->report, FRZ_RULE_DATA_STATISTICS, place,
        TEXT("bounds and null count of %s (column %" PRId32 ") in %s %zu that hold for its rows",
             measure->field->name, measure->field->id, what, (size_t)(wrong - claims->items)),
        TEXT("%" PRId64 " values outside, %" PRId64 " nulls", wrong->outside, wrong->nulls), err);
}

/* By the current schema: columns may become optional, not required. */
static bool is_required(const frz_measures *self, const frz_measure *measure)
{
    const frz_field *field =
        frz_schema_find_id(frz_metadata_schema(self->verification->metadata), measure->field->id);
    return field && field->required && measure->path.depth == 1;
}

frz_status frz_measures_judge(const frz_measures *self, const frz_place *place, frz_error **err)
{
    for (size_t i = 0; i < self->count; i++) {
        const frz_measure *measure = &self->items[i];
        if (!measure->field)
            continue;
        if (measure->metrics)
            FRZ_TRY(judge_metrics(self, measure, place, err));
        FRZ_TRY(judge_claims(self, measure, &measure->groups, "row group", place, err));
        FRZ_TRY(judge_claims(self, measure, &measure->pages, "page", place, err));
        if (measure->nulls && is_required(self, measure))
            FRZ_TRY(frz_report_add(self->verification->report, FRZ_RULE_DATA_REQUIRED, place,
                                   TEXT("no null in %s (column %" PRId32 "), which is required",
                                        measure->field->name, measure->field->id),
                                   TEXT("%" PRId64 " rows", measure->nulls), err));
    }
    return FRZ_OK;
}
