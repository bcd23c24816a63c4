#include "expr/project.h"

#include "base/fail.h"
#include "expr/project_transform.h"
#include "expr/truth.h"

/* The reference of a partition field in the tuple; *out is NULL when the tuple has no such field.
 */
static frz_status refer(const frz_projector *p, int32_t field_id, const frz_reference **out,
                        frz_error **err)
{
    *out = NULL;
    for (size_t i = 0; i < p->partition_type->field_count; i++) {
        const frz_field *field = &p->partition_type->fields[i];
        if (field->id != field_id)
            continue;
        frz_reference *reference = frz_arena_alloc(p->arena, sizeof *reference);
        frz_step *step = frz_arena_alloc(p->arena, sizeof *step);
        if (!reference || !step)
            return frz_fail_memory(err);
        *step = (frz_step){.kind = FRZ_STEP_FIELD, .field_id = field_id};
        *reference = (frz_reference){.path = field->name,
                                     .field_id = field_id,
                                     .type = field->type,
                                     .direct = true,
                                     .steps = step,
                                     .step_count = 1};
        *out = reference;
        return FRZ_OK;
    }
    return FRZ_OK;
}

static frz_status combine(const frz_projector *p, bool strict, const frz_expr *more,
                          const frz_expr **result, frz_error **err)
{
    if (!more)
        return FRZ_OK;
    *result = strict ? frz_expr_or(*result, more, p->arena) : frz_expr_and(*result, more, p->arena);
    return *result ? FRZ_OK : frz_fail_memory(err);
}

/* Metadata column _partition.NAME: the tuple itself, null where the spec has no such field. */
static frz_status project_partition_column(const frz_projector *p, const frz_expr *leaf,
                                           bool strict, const frz_expr **out, frz_error **err)
{
    const frz_value null_value = {.form = FRZ_VALUE_NULL};
    const frz_transform identity = {.kind = FRZ_TRANSFORM_IDENTITY, .text = "identity"};
    frz_projection projection = {
        .strict = strict, .leaf = leaf, .transform = &identity, .arena = p->arena};
    FRZ_TRY(refer(p, leaf->reference->field_id, &projection.reference, err));
    if (!projection.reference) {
        const bool passes = frz_expr_test_value(leaf, &null_value) == FRZ_TRUTH_TRUE;
        *out = passes ? &frz_expr_true : &frz_expr_false;
        return FRZ_OK;
    }
    FRZ_TRY(frz_project_transform(&projection, out, err));
    if (!*out)
        *out = strict ? &frz_expr_false : &frz_expr_true;
    return FRZ_OK;
}

frz_status frz_project_leaf(const frz_projector *projector, const frz_expr *leaf, bool strict,
                            const frz_expr **out, frz_error **err)
{
    const frz_projector *p = projector;
    const frz_reference *reference = leaf->reference;
    const frz_expr *result = strict ? &frz_expr_false : &frz_expr_true;
    if (leaf->other) {
        *out = result;
        return FRZ_OK;
    }
    if (reference->steps[0].field_id == FRZ_FIELD_ID_PARTITION && reference->step_count == 2)
        return project_partition_column(p, leaf, strict, out, err);
    for (size_t i = 0; i < p->spec->field_count && reference->direct; i++) {
        const frz_partition_field *field = &p->spec->fields[i];
        frz_projection projection = {
            .strict = strict, .leaf = leaf, .transform = &field->transform, .arena = p->arena};
        const frz_expr *projected = NULL;
        if (field->source_count != 1 || field->source_ids[0] != reference->field_id)
            continue;
        FRZ_TRY(refer(p, field->field_id, &projection.reference, err));
        if (!projection.reference)
            continue;
        FRZ_TRY(frz_project_transform(&projection, &projected, err));
        FRZ_TRY(combine(p, strict, projected, &result, err));
    }
    *out = result;
    return FRZ_OK;
}

static frz_status project(const frz_projector *p, const frz_expr *expr, bool negated, bool strict,
                          const frz_expr **out, frz_error **err)
{
    const frz_expr_op op = negated ? frz_expr_op_negate(expr->op) : expr->op;
    if (op == FRZ_EXPR_TRUE || op == FRZ_EXPR_FALSE) {
        *out = op == FRZ_EXPR_TRUE ? &frz_expr_true : &frz_expr_false;
        return FRZ_OK;
    }
    if (op == FRZ_EXPR_NOT)
        return project(p, expr->left, !negated, strict, out, err);
    if (op == FRZ_EXPR_AND || op == FRZ_EXPR_OR) {
        const frz_expr *left = NULL;
        const frz_expr *right = NULL;
        FRZ_TRY(project(p, expr->left, negated, strict, &left, err));
        FRZ_TRY(project(p, expr->right, negated, strict, &right, err));
        *out = op == FRZ_EXPR_AND ? frz_expr_and(left, right, p->arena)
                                  : frz_expr_or(left, right, p->arena);
        return *out ? FRZ_OK : frz_fail_memory(err);
    }
    frz_expr leaf = *expr;
    leaf.op = op;
    return frz_project_leaf(p, &leaf, strict, out, err);
}

frz_status frz_expr_project_inclusive(const frz_expr *expr, const frz_partition_spec *spec,
                                      const frz_type *partition_type, frz_arena *arena,
                                      const frz_expr **out, frz_error **err)
{
    const frz_projector p = {.spec = spec, .partition_type = partition_type, .arena = arena};
    return project(&p, expr, false, false, out, err);
}

frz_status frz_expr_project_strict(const frz_expr *expr, const frz_partition_spec *spec,
                                   const frz_type *partition_type, frz_arena *arena,
                                   const frz_expr **out, frz_error **err)
{
    const frz_projector p = {.spec = spec, .partition_type = partition_type, .arena = arena};
    return project(&p, expr, false, true, out, err);
}
