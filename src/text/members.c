#include "text/members.h"

#include <string.h>

#include "arrow/schema.h"
#include "base/fail.h"
#include "text/jsonl.h"
#include "text/source.h"

/* A column, or a member of a struct, and whether a line has it. */
typedef struct member {
    const char *name;
    bool seen;
    struct member *children; /* of structs only */
    size_t child_count;
    size_t next; /* where the next key is looked for first: keys mostly come in one order */
} member;

static frz_status make_members(const struct ArrowSchema *schema, frz_arena *arena, member *out,
                               frz_error **err)
{
    *out = (member){.name = frz_arena_text(arena, schema->name ? schema->name : "")};
    if (!out->name)
        return frz_fail_memory(err);
    if (strcmp(schema->format, "+s") != 0)
        return FRZ_OK;
    out->child_count = (size_t)schema->n_children;
    out->children = frz_arena_array(arena, out->child_count + 1, sizeof *out->children);
    if (!out->children)
        return frz_fail_memory(err);
    for (size_t i = 0; i < out->child_count; i++)
        FRZ_TRY(make_members(schema->children[i], arena, &out->children[i], err));
    return FRZ_OK;
}

static member *find_member(member *of, frz_slice name)
{
    for (size_t i = 0; i < of->child_count; i++) {
        const size_t at = (of->next + i) % of->child_count;
        if (!frz_slice_is_text(name, of->children[at].name))
            continue;
        of->next = at + 1;
        return &of->children[at];
    }
    return NULL;
}

static frz_status see_value(frz_json_reader *json, member *of, frz_error **err);

static frz_status see_member(frz_json_reader *json, frz_slice key, void *context, frz_error **err)
{
    member *found = find_member(context, key);
    if (!found)
        return frz_json_skip(json, err);
    found->seen = true;
    return see_value(json, found, err);
}

static frz_status see_value(frz_json_reader *json, member *of, frz_error **err)
{
    frz_json_kind kind = FRZ_JSON_NULL;
    FRZ_TRY(frz_json_peek(json, &kind, err));
    if (kind != FRZ_JSON_OBJECT || of->child_count == 0)
        return frz_json_skip(json, err);
    return frz_json_read_members(json, see_member, of, err);
}

static frz_status see_lines(frz_text_source *source, member *root, frz_error **err)
{
    for (;;) {
        frz_slice record = {0};
        frz_status status = frz_text_source_record(source, &record, err);
        if (status != FRZ_OK)
            return status == FRZ_END ? FRZ_OK : status;
        if (frz_jsonl_is_blank(record))
            continue;
        frz_arena_clear(&source->values);
        frz_json_reader json = frz_json_reader_over(record, &source->values);
        status = see_value(&json, root, err);
        if (status != FRZ_OK)
            return frz_text_source_context(source, status, err);
    }
}

/* A struct whose members no line has is kept with all of them: its rows are null or empty. */
static frz_status prune(const struct ArrowSchema *schema, const member *of, struct ArrowSchema *out,
                        frz_error **err)
{
    int64_t count = 0;
    for (size_t i = 0; i < of->child_count; i++)
        count += of->children[i].seen;
    if (count == 0)
        return frz_arrow_schema_copy(schema, out, err);
    FRZ_TRY(frz_arrow_schema_init(out, "+s", of->name, schema->flags & ARROW_FLAG_NULLABLE,
                                  frz_arrow_schema_field_id(schema), count, err));
    int64_t at = 0;
    for (size_t i = 0; i < of->child_count; i++) {
        if (of->children[i].seen)
            FRZ_TRY(prune(schema->children[i], &of->children[i], out->children[at++], err));
    }
    return FRZ_OK;
}

frz_status frz_jsonl_members(const char *location, frz_io *io, const struct ArrowSchema *schema,
                             struct ArrowSchema *out, frz_error **err)
{
    frz_text_source *source = NULL;
    struct ArrowSchema made = {0};
    member root = {0};
    frz_status status = frz_text_source_new(location, io, &source, err);
    if (status != FRZ_OK)
        return status;
    FRZ_TRY_DONE(make_members(schema, &source->arena, &root, err));
    FRZ_TRY_DONE(see_lines(source, &root, err));
    FRZ_TRY_DONE(prune(schema, &root, &made, err));
    *out = made;
    made = (struct ArrowSchema){0};

done:
    frz_arrow_schema_clear(&made);
    frz_text_source_free(source);
    return status;
}
