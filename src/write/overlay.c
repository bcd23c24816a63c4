#include "write/overlay.h"

#include "arrow/array.h"
#include "arrow/concat.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"

bool frz_source_has(const frz_source_fields *fields, int32_t field_id)
{
    return field_id >= 0 && (size_t)field_id < fields->id_count && fields->has[field_id];
}

bool frz_overlay_is_partial(const frz_source_fields *fields, const frz_field *field)
{
    if (field->type->kind != FRZ_TYPE_STRUCT)
        return false;
    for (size_t i = 0; i < field->type->field_count; i++) {
        const frz_field *member = &field->type->fields[i];
        if (!frz_source_has(fields, member->id) || frz_overlay_is_partial(fields, member))
            return true;
    }
    return false;
}

/* A struct member's rows, whatever the offset of the struct. */
static frz_status member_of(const struct ArrowArray *array, size_t index, struct ArrowArray *out,
                            frz_error **err)
{
    return frz_arrow_array_slice(array->children[index], array->offset, array->length, out, err);
}

/* Row i of both[0], and of both[1] where the table's struct is null. */
static frz_status choose(const struct ArrowSchema *arrow, const struct ArrowArray *table,
                         const struct ArrowArray both[2], struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowArray joined = {0};
    const int64_t count = table->length;
    int64_t *rows = frz_alloc_array((size_t)count + 1, sizeof *rows);
    if (!rows)
        return frz_fail_memory(err);
    for (int64_t i = 0; i < count; i++)
        rows[i] = frz_arrow_is_null(table, i) ? count + i : i;
    FRZ_TRY_DONE(frz_arrow_array_concat(arrow, both, 2, &joined, err));
    FRZ_TRY_DONE(frz_arrow_array_take(arrow, &joined, rows, count, out, err));

done:
    frz_arrow_array_clear(&joined);
    frz_free(rows);
    return status;
}

static frz_status fill_member(const frz_source_fields *fields, const frz_field *member,
                              const struct ArrowSchema *arrow, const struct ArrowArray *table,
                              struct ArrowArray both[2], struct ArrowArray *out, frz_error **err)
{
    if (!frz_source_has(fields, member->id))
        return choose(arrow, table, both, out, err);
    if (frz_overlay_is_partial(fields, member))
        return frz_overlay(fields, member, arrow, &both[0], &both[1], out, err);
    *out = both[1];
    both[1] = (struct ArrowArray){0};
    return FRZ_OK;
}

static frz_status validity_of(const struct ArrowArray *array, frz_buffer *out, frz_error **err)
{
    if (frz_arrow_null_count(array) == 0)
        return FRZ_OK;
    for (int64_t at = 0; at < array->length; at += 8) {
        uint8_t bits = 0;
        for (int64_t i = at; i < array->length && i < at + 8; i++)
            bits |= (uint8_t)(!frz_arrow_is_null(array, i) << (i - at));
        frz_buffer_append_byte(out, bits);
    }
    return frz_buffer_check(out, err);
}

frz_status frz_overlay(const frz_source_fields *fields, const frz_field *field,
                       const struct ArrowSchema *arrow, const struct ArrowArray *table,
                       const struct ArrowArray *source, struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowArray made = {0};
    struct ArrowArray both[2] = {0};
    frz_buffer validity[1] = {0};
    const size_t count = field->type->field_count;
    FRZ_TRY_DONE(validity_of(source, validity, err));
    FRZ_TRY_DONE(frz_arrow_array_init(&made, source->length, frz_arrow_null_count(source), validity,
                                      1, (int64_t)count, err));
    for (size_t i = 0; i < count; i++) {
        FRZ_TRY_DONE(member_of(table, i, &both[0], err));
        FRZ_TRY_DONE(member_of(source, i, &both[1], err));
        FRZ_TRY_DONE(fill_member(fields, &field->type->fields[i], arrow->children[i], table, both,
                                 made.children[i], err));
        frz_arrow_array_clear(&both[0]);
        frz_arrow_array_clear(&both[1]);
    }
    *out = made;
    made = (struct ArrowArray){0};

done:
    frz_buffer_clear(&validity[0]);
    frz_arrow_array_clear(&both[0]);
    frz_arrow_array_clear(&both[1]);
    frz_arrow_array_clear(&made);
    return status;
}
