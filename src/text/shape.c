#include "text/shape.h"

#include <assert.h>
#include <string.h>

#include "arrow/schema.h"
#include "base/fail.h"
#include "spec/list.h"
#include "text/guess.h"
#include "text/jsonl.h"
#include "text/source.h"

/* A column, a member of a struct, or the items of a list. */
typedef struct shape shape;
struct shape {
    const char *name;
    const struct ArrowSchema *known; /* NULL: not of the schema */
    bool seen;
    unsigned kinds;   /* of what is not known: what its values are */
    frz_list members; /* shape *; of a struct: those of the schema in order, then others */
    size_t next;      /* where the next key is looked for first: keys mostly come in one order */
    shape *element;   /* of a list; NULL: nothing is to be told of its items */
};

typedef struct shaping {
    const frz_rows_options *options;
    frz_arena *arena;
    shape *into; /* whose members are being read */
} shaping;

static frz_status add_shape(shaping *self, frz_list *to, frz_slice name,
                            const struct ArrowSchema *known, shape **out, frz_error **err);

static bool is_struct(const struct ArrowSchema *schema)
{
    return strcmp(schema->format, "+s") == 0;
}

static bool is_list(const struct ArrowSchema *schema)
{
    return strcmp(schema->format, "+l") == 0 && schema->n_children == 1;
}

static frz_slice name_of(const struct ArrowSchema *schema)
{
    return frz_slice_of_text(frz_arrow_schema_name(schema));
}

/* Structs below, and with `infer` lists that hold them. */
static frz_status add_known(shaping *self, shape *to, frz_error **err)
{
    shape *made = NULL;
    const struct ArrowSchema *known = to->known;
    if (is_struct(known)) {
        for (int64_t i = 0; i < known->n_children; i++)
            FRZ_TRY(add_shape(self, &to->members, name_of(known->children[i]), known->children[i],
                              &made, err));
    } else if (is_list(known) && self->options->infer) {
        frz_list none = {0};
        FRZ_TRY(add_shape(self, &none, name_of(known->children[0]), known->children[0],
                          &to->element, err));
    }
    return FRZ_OK;
}

static frz_status add_shape(shaping *self, frz_list *to, frz_slice name,
                            const struct ArrowSchema *known, shape **out, frz_error **err)
{
    shape *made = frz_arena_alloc(self->arena, sizeof *made);
    shape **slot = frz_list_add(to, self->arena, sizeof(shape *));
    if (!made || !slot)
        return frz_fail_memory(err);
    *made = (shape){.known = known};
    made->name = frz_arena_text_n(self->arena, name.data, name.size);
    *slot = *out = made;
    if (!made->name)
        return frz_fail_memory(err);
    return known ? add_known(self, made, err) : FRZ_OK;
}

static shape *find_member(shape *of, frz_slice name, bool any_case)
{
    shape **members = of->members.items;
    const size_t count = of->members.count;
    for (size_t i = 0; i < count; i++) {
        const size_t at = (of->next + i) % count;
        if (!frz_text_same_name(name, members[at]->name, any_case))
            continue;
        of->next = at + 1;
        return members[at];
    }
    return NULL;
}

static frz_status see_value(shaping *self, frz_json_reader *json, shape *of, frz_error **err);

static frz_status see_member(frz_json_reader *json, frz_slice key, void *context, frz_error **err)
{
    shaping *self = context;
    shape *of = self->into;
    shape *found = find_member(of, key, self->options->case_insensitive);
    if (!found && !self->options->infer)
        return frz_json_skip(json, err);
    if (!found && of->members.count == FRZ_SHAPE_MEMBERS_MAX)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "objects with more than %d different members", FRZ_SHAPE_MEMBERS_MAX);
    if (!found)
        FRZ_TRY(add_shape(self, &of->members, key, NULL, &found, err));
    found->seen = true;
    const frz_status status = see_value(self, json, found, err);
    self->into = of;
    return status;
}

static frz_status see_object(shaping *self, frz_json_reader *json, shape *of, frz_error **err)
{
    self->into = of;
    return frz_json_read_members(json, see_member, self, err);
}

static frz_status see_items(shaping *self, frz_json_reader *json, shape *of, frz_error **err)
{
    frz_list none = {0};
    if (!of->element)
        FRZ_TRY(add_shape(self, &none, frz_slice_of_text("element"), NULL, &of->element, err));
    FRZ_TRY(frz_json_enter_array(json, err));
    for (;;) {
        bool more = false;
        FRZ_TRY(frz_json_next_item(json, &more, err));
        if (!more)
            return FRZ_OK;
        FRZ_TRY(see_value(self, json, of->element, err));
    }
}

static frz_status see_new(shaping *self, frz_json_reader *json, frz_json_kind kind, shape *of,
                          frz_error **err)
{
    frz_slice text = {0};
    switch (kind) {
    case FRZ_JSON_NULL:
        return frz_json_skip(json, err);
    case FRZ_JSON_BOOL:
        of->kinds |= FRZ_GUESS_BOOLEAN;
        return frz_json_skip(json, err);
    case FRZ_JSON_NUMBER:
        FRZ_TRY(frz_json_read_number(json, &text, err));
        of->kinds |= frz_guess_number(text);
        return FRZ_OK;
    case FRZ_JSON_STRING:
        FRZ_TRY(frz_json_read_string(json, &text, err));
        of->kinds |= frz_guess_text(text, false, NULL);
        return FRZ_OK;
    case FRZ_JSON_ARRAY:
        of->kinds |= FRZ_GUESS_ARRAY;
        return see_items(self, json, of, err);
    case FRZ_JSON_OBJECT:
        of->kinds |= FRZ_GUESS_OBJECT;
        return see_object(self, json, of, err);
    }
    return FRZ_OK;
}

static frz_status see_value(shaping *self, frz_json_reader *json, shape *of, frz_error **err)
{
    frz_json_kind kind = FRZ_JSON_NULL;
    FRZ_TRY(frz_json_peek(json, &kind, err));
    if (!of->known)
        return see_new(self, json, kind, of, err);
    if (kind == FRZ_JSON_OBJECT && is_struct(of->known))
        return see_object(self, json, of, err);
    if (kind == FRZ_JSON_ARRAY && of->element)
        return see_items(self, json, of, err);
    return frz_json_skip(json, err);
}

static frz_status see_lines(shaping *self, frz_text_source *source, shape *root, frz_error **err)
{
    const int64_t most = self->options->infer ? self->options->sample_rows : 0;
    for (int64_t i = 0; most == 0 || self->options->present_only || i < most; i++) {
        frz_slice record = {0};
        frz_status status = frz_text_source_record(source, &record, err);
        if (status != FRZ_OK)
            return status == FRZ_END ? FRZ_OK : status;
        if (frz_jsonl_is_blank(record))
            continue;
        frz_arena_clear(&source->values);
        frz_json_reader json = frz_json_reader_over(record, &source->values);
        status = see_value(self, &json, root, err);
        if (status != FRZ_OK)
            return frz_text_source_context(source, status, err);
    }
    return FRZ_OK;
}

static frz_status make_schema(const shaping *self, const shape *of, struct ArrowSchema *out,
                              frz_error **err);

/* Whether anything of the schema changes at or below. */
static bool differs(const shaping *self, const shape *of)
{
    shape *const *members = of->members.items;
    if (!of->known)
        return true;
    for (size_t i = 0; i < of->members.count; i++) {
        if ((self->options->present_only && !members[i]->seen) || differs(self, members[i]))
            return true;
    }
    return of->element && differs(self, of->element);
}

static bool is_kept(const shaping *self, const shape *member)
{
    return member->seen || !self->options->present_only;
}

static frz_status make_struct(const shaping *self, const shape *of, struct ArrowSchema *out,
                              frz_error **err)
{
    shape *const *members = of->members.items;
    int64_t count = 0;
    int64_t at = 0;
    for (size_t i = 0; i < of->members.count; i++)
        count += is_kept(self, members[i]);
    /* A struct whose members no line has is kept with all of them: its rows are null or empty. */
    if (count == 0 && of->known)
        return frz_arrow_schema_copy(of->known, out, err);
    if (count == 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "objects without members have no type");
    FRZ_TRY(frz_arrow_schema_init(
        out, "+s", of->name, !of->known || of->known->flags & ARROW_FLAG_NULLABLE,
        of->known ? frz_arrow_schema_field_id(of->known) : FRZ_ARROW_NO_FIELD_ID, count, err));
    for (size_t i = 0; i < of->members.count; i++) {
        if (is_kept(self, members[i]))
            FRZ_TRY(make_schema(self, members[i], out->children[at++], err));
    }
    return FRZ_OK;
}

static frz_status make_list(const shaping *self, const shape *of, struct ArrowSchema *out,
                            frz_error **err)
{
    assert(of->element);
    FRZ_TRY(frz_arrow_schema_init(
        out, "+l", of->name, !of->known || of->known->flags & ARROW_FLAG_NULLABLE,
        of->known ? frz_arrow_schema_field_id(of->known) : FRZ_ARROW_NO_FIELD_ID, 1, err));
    return make_schema(self, of->element, out->children[0], err);
}

static frz_status make_new(const shaping *self, const shape *of, struct ArrowSchema *out,
                           frz_error **err)
{
    if (of->kinds == FRZ_GUESS_OBJECT)
        return make_struct(self, of, out, err);
    if (of->kinds == FRZ_GUESS_ARRAY)
        return make_list(self, of, out, err);
    const char *format = frz_guess_format(of->kinds, false);
    if (format)
        return frz_arrow_schema_init(out, format, of->name, true, FRZ_ARROW_NO_FIELD_ID, 0, err);
    const char *first = frz_guess_name(of->kinds);
    unsigned others = 0;
    for (unsigned bit = 1; bit <= FRZ_GUESS_ARRAY; bit <<= 1) {
        if (of->kinds & bit && strcmp(frz_guess_name(bit), first) != 0)
            others = bit;
    }
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "it holds %s in some lines and %s in others",
                    first, frz_guess_name(others));
}

static frz_status make_known(const shaping *self, const shape *of, struct ArrowSchema *out,
                             frz_error **err)
{
    if (!differs(self, of))
        return frz_arrow_schema_copy(of->known, out, err);
    return is_struct(of->known) ? make_struct(self, of, out, err) : make_list(self, of, out, err);
}

static frz_status make_schema(const shaping *self, const shape *of, struct ArrowSchema *out,
                              frz_error **err)
{
    const frz_status status =
        of->known ? make_known(self, of, out, err) : make_new(self, of, out, err);
    return status == FRZ_OK || !*of->name ? status
                                          : frz_context(err, status, "column %s", of->name);
}

static frz_status open_root(shaping *self, shape *root, frz_error **err)
{
    *root = (shape){.name = "", .known = self->options->schema, .kinds = FRZ_GUESS_OBJECT};
    return root->known ? add_known(self, root, err) : FRZ_OK;
}

frz_status frz_jsonl_shape(const char *location, frz_io *io, const frz_rows_options *options,
                           struct ArrowSchema *out, frz_error **err)
{
    frz_text_source *source = NULL;
    struct ArrowSchema made = {0};
    shape root = {0};
    frz_status status = frz_text_source_new(location, io, &source, err);
    if (status != FRZ_OK)
        return status;
    shaping self = {.options = options, .arena = &source->arena};
    FRZ_TRY_DONE(open_root(&self, &root, err));
    FRZ_TRY_DONE(see_lines(&self, source, &root, err));
    status = make_schema(&self, &root, &made, err);
    if (status != FRZ_OK) {
        status = frz_context(err, status, "%s", location);
        goto done;
    }
    *out = made;
    made = (struct ArrowSchema){0};

done:
    frz_arrow_schema_clear(&made);
    frz_text_source_free(source);
    return status;
}
