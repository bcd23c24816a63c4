#include "scan/row_group.h"

#include "base/fail.h"
#include "expr/truth.h"
#include "parquet/bloom.h"
#include "parquet/dictionary_values.h"
#include "scan/absent.h"
#include "scan/file_stats.h"
#include "scan/parquet_stats.h"
#include "scan/stored_column.h"

/* Kinds of evidence, each dearer than the one before. */
typedef enum evidence_depth {
    BY_STATISTICS,
    BY_BLOOM_FILTER,
    BY_DICTIONARY,
    DEPTHS
} evidence_depth;

struct frz_row_group_leaf {
    bool index_read;
    bool bloom_read;
    bool dictionary_read;
    frz_parquet_page_index index;
    frz_parquet_bloom bloom;
    frz_parquet_dictionary_values dictionary;
};

frz_status frz_row_group_view_init(frz_row_group_view *view, const frz_scan *scan,
                                   const frz_scan_task *task, frz_parquet_file *file,
                                   frz_arena *arena, frz_error **err)
{
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(file);
    *view = (frz_row_group_view){.scan = scan, .task = task, .file = file, .metadata = metadata};
    view->leaves = frz_arena_array(arena, metadata->leaf_count, sizeof *view->leaves);
    return view->leaves ? FRZ_OK : frz_fail_memory(err);
}

void frz_row_group_view_clear(frz_row_group_view *view)
{
    frz_arena_clear(&view->memory);
}

void frz_row_group_view_move(frz_row_group_view *view, size_t number)
{
    frz_arena_clear(&view->memory);
    if (view->metadata->leaf_count)
        memset(view->leaves, 0, view->metadata->leaf_count * sizeof *view->leaves);
    view->number = number;
}

static const frz_parquet_row_group *group_of(const frz_row_group_view *view)
{
    return &view->metadata->row_groups[view->number];
}

static bool absent_stats(const frz_row_group_view *view, const frz_reference *reference,
                         frz_column_stats *out)
{
    const frz_field *field = frz_schema_find_id(view->scan->schema, reference->field_id);
    if (!field || reference->step_count != 1)
        return false; /* below a struct that may itself be null */
    frz_value value = {0};
    if (frz_absent_value(view->scan, &view->task->entry->file, field, field->name, &value, NULL) !=
        FRZ_OK)
        return false;
    out->absent_constant = true;
    out->has_lower = value.form != FRZ_VALUE_NULL;
    out->has_upper = out->has_lower;
    out->lower = value;
    out->upper = value;
    return true;
}

/* What metadata columns can be in one row group: positions and inherited row ids count its rows. */
static bool metadata_stats(const frz_row_group_view *view, const frz_reference *reference,
                           frz_column_stats *out)
{
    const frz_parquet_row_group *group = group_of(view);
    const int32_t id = reference->field_id;
    int64_t first = group->first_row;
    if (id == FRZ_FIELD_ID_ROW_ID) {
        const int64_t first_row_id = view->task->entry->file.first_row_id;
        if (first_row_id < 0 || frz_file_find_node(&view->metadata->root, id))
            return false; /* no lineage, or ids that the file stores */
        first += first_row_id;
    } else if (id != FRZ_FIELD_ID_POS) {
        frz_file_stats file = {.scan = view->scan, .entry = view->task->entry};
        return frz_file_stats_source(&file, reference, out);
    }
    *out = (frz_column_stats){
        .value_count = group->row_count, .nan_count = -1, .has_lower = true, .has_upper = true};
    out->lower = (frz_value){.form = FRZ_VALUE_INTEGER, .integer = first};
    out->upper = (frz_value){.form = FRZ_VALUE_INTEGER, .integer = first + group->row_count - 1};
    return true;
}

/* A frz_stats_source over one row group's column chunks. */
static bool group_stats(void *context, const frz_reference *reference, frz_column_stats *out)
{
    const frz_row_group_view *view = context;
    if (reference->steps[0].field_id > FRZ_FIELD_ID_MAX)
        return metadata_stats(view, reference, out);
    *out = (frz_column_stats){.value_count = -1, .null_count = -1, .nan_count = -1};
    if (!reference->direct)
        return false;
    const frz_parquet_node *node = frz_file_find_node(&view->metadata->root, reference->field_id);
    if (!node)
        return absent_stats(view, reference, out);
    if (node->shape != FRZ_PARQUET_SHAPE_LEAF)
        return false;
    const frz_parquet_row_group *group = group_of(view);
    const frz_parquet_column_chunk *chunk = &group->columns[node->leaf_index];
    /* Without repetition there is a value per row, whatever a writer put into num_values. */
    out->value_count = node->max_repetition == 0 ? group->row_count : chunk->value_count;
    out->null_count = node->max_definition == 0 ? 0 : chunk->statistics.null_count;
    out->nan_count = chunk->statistics.nan_count;
    out->has_lower = chunk->statistics.has_min &&
                     frz_parquet_bound(node, chunk->statistics.min, reference->type, &out->lower);
    out->has_upper = chunk->statistics.has_max &&
                     frz_parquet_bound(node, chunk->statistics.max, reference->type, &out->upper);
    return true;
}

/* Columns of stored lineage cannot judge: their nulls stand for inherited values. */
const frz_parquet_node *frz_row_group_node(const frz_row_group_view *view, const frz_expr *leaf)
{
    const frz_reference *reference = leaf->reference;
    if (!reference || leaf->other || !reference->direct ||
        reference->steps[0].field_id > FRZ_FIELD_ID_MAX)
        return NULL;
    const frz_parquet_node *node = frz_file_find_node(&view->metadata->root, reference->field_id);
    return node && node->shape == FRZ_PARQUET_SHAPE_LEAF && node->max_repetition == 0 ? node : NULL;
}

frz_status frz_row_group_page_index(frz_row_group_view *view, const frz_parquet_node *node,
                                    const frz_parquet_page_index **out, frz_error **err)
{
    const size_t number = (size_t)node->leaf_index;
    struct frz_row_group_leaf *leaf = &view->leaves[number];
    if (!leaf->index_read) {
        const frz_parquet_index_wish wish = {.arena = &view->memory, .bounds = true};
        FRZ_TRY(frz_parquet_page_index_find(view->file, view->number, number, &wish, &leaf->index,
                                            err));
        leaf->index_read = true;
    }
    *out = &leaf->index;
    return FRZ_OK;
}

/* Both zeros, as they compare equal and have a hash each. */
static bool bloom_may_hold(const frz_parquet_bloom *bloom, const frz_parquet_node *node,
                           const frz_type *type, const frz_value *value)
{
    frz_parquet_plain plain;
    if (!frz_parquet_plain_of(node, value, type, &plain))
        return true;
    if (frz_parquet_bloom_may_hold(bloom, plain.bytes))
        return true;
    if (value->form != FRZ_VALUE_NUMBER || value->number != 0)
        return false;
    const frz_value other = {.form = FRZ_VALUE_NUMBER, .number = -value->number};
    return !frz_parquet_plain_of(node, &other, type, &plain) ||
           frz_parquet_bloom_may_hold(bloom, plain.bytes);
}

/* A filter whose bytes are wrong is no evidence, and no reason to refuse the rows: writers have
 * made them with lengths that are not theirs. */
static frz_status read_bloom(frz_row_group_view *view, const frz_parquet_node *node,
                             frz_parquet_bloom *out, frz_error **err)
{
    frz_error *fault = NULL;
    const frz_status status = frz_parquet_bloom_read(
        view->file, view->number, (size_t)node->leaf_index, &view->memory, out, &fault);
    if (status == FRZ_OK || status == FRZ_CORRUPT) {
        frz_error_free(fault);
        return FRZ_OK;
    }
    if (err)
        *err = fault;
    else
        frz_error_free(fault);
    return status;
}

/* Nulls are not in a Bloom filter, and pass neither test. */
static frz_status bloom_may(frz_row_group_view *view, const frz_expr *leaf, bool *out,
                            frz_error **err)
{
    const frz_parquet_node *node = frz_row_group_node(view, leaf);
    *out = true;
    if (!node || (leaf->op != FRZ_EXPR_EQ && leaf->op != FRZ_EXPR_IN))
        return FRZ_OK;
    struct frz_row_group_leaf *known = &view->leaves[node->leaf_index];
    if (!known->bloom_read) {
        FRZ_TRY(read_bloom(view, node, &known->bloom, err));
        known->bloom_read = true;
    }
    bool may = !known->bloom.blocks;
    for (size_t i = 0; i < leaf->value_count && !may; i++)
        may = bloom_may_hold(&known->bloom, node, leaf->reference->type, &leaf->values[i]);
    *out = may;
    return FRZ_OK;
}

/* A dictionary has every value but null: a leaf that none of them passes, and that null does not
 * pass or that has no null, passes nowhere. */
static frz_status dictionary_may(frz_row_group_view *view, const frz_expr *leaf, bool *out,
                                 frz_error **err)
{
    static const frz_value null_value = {.form = FRZ_VALUE_NULL};
    const frz_parquet_node *node = frz_row_group_node(view, leaf);
    *out = true;
    if (!node || leaf->op == FRZ_EXPR_IS_NULL || leaf->op == FRZ_EXPR_NOT_NULL)
        return FRZ_OK;
    const frz_parquet_column_chunk *chunk = &group_of(view)->columns[node->leaf_index];
    const bool no_null = node->max_definition == 0 || chunk->statistics.null_count == 0;
    if (!no_null && frz_expr_test_value(leaf, &null_value) == FRZ_TRUTH_TRUE)
        return FRZ_OK;
    struct frz_row_group_leaf *known = &view->leaves[node->leaf_index];
    if (!known->dictionary_read) {
        FRZ_TRY(frz_parquet_dictionary_values_read(view->file, view->number,
                                                   (size_t)node->leaf_index, &view->memory,
                                                   &known->dictionary, err));
        known->dictionary_read = true;
    }
    bool may = !known->dictionary.known;
    for (size_t i = 0; i < known->dictionary.count && !may; i++) {
        frz_value value = {0};
        may = !frz_parquet_value(node, known->dictionary.items[i], leaf->reference->type, &value) ||
              frz_expr_test_value(leaf, &value) == FRZ_TRUTH_TRUE;
    }
    *out = may;
    return FRZ_OK;
}

static frz_status leaf_may(frz_row_group_view *view, const frz_expr *leaf, evidence_depth depth,
                           bool *out, frz_error **err)
{
    bool may = frz_prune_may_match(leaf, group_stats, view);
    if (may && depth >= BY_BLOOM_FILTER)
        FRZ_TRY(bloom_may(view, leaf, &may, err));
    if (may && depth >= BY_DICTIONARY)
        FRZ_TRY(dictionary_may(view, leaf, &may, err));
    *out = may;
    return FRZ_OK;
}

/* The second operand is looked at only when the first does not decide. */
static frz_status expr_may(frz_row_group_view *view, const frz_expr *expr, evidence_depth depth,
                           bool *out, frz_error **err)
{
    if (expr->op != FRZ_EXPR_AND && expr->op != FRZ_EXPR_OR)
        return leaf_may(view, expr, depth, out, err);
    FRZ_TRY(expr_may(view, expr->left, depth, out, err));
    if (*out == (expr->op == FRZ_EXPR_OR))
        return FRZ_OK;
    return expr_may(view, expr->right, depth, out, err);
}

frz_status frz_row_group_judge(frz_row_group_view *view, const frz_expr *filter,
                               const char **reason_out, frz_error **err)
{
    static const char *const reasons[DEPTHS] = {"statistics", "bloom_filter", "dictionary"};
    *reason_out = NULL;
    for (evidence_depth depth = BY_STATISTICS; depth < DEPTHS; depth++) {
        bool may = true;
        FRZ_TRY(expr_may(view, filter, depth, &may, err));
        if (!may) {
            *reason_out = reasons[depth];
            return FRZ_OK;
        }
    }
    return FRZ_OK;
}
