#include "avro/program.h"

#include <stdio.h>

#include "base/decimal.h"
#include "base/fail.h"
#include "base/mem.h"

/* Most values and bytes of one batch: they are to fit caches, and nulls of wide types cost no
 * input. */
#define PROGRAM_ROWS_MAX 65536
#define PROGRAM_ROWS_SIZE ((uint64_t)32 << 20)

/* Type ids of an Arrow union are 0 to 127. */
enum { UNION_BRANCHES_MAX = 127 };

/* A record that is being laid out, to find one that contains itself. */
typedef struct open_record {
    const frz_avro_schema *schema;
    const struct open_record *outer;
} open_record;

typedef struct compiler {
    frz_avro_program *program;
    frz_avro_skip_compiler skips;
    frz_avro_op *ops;
    size_t op_count;
    size_t op_capacity;
    size_t column_count;
    const frz_limits *limits;
    const open_record *open;
    uint32_t depth;
} compiler;

static frz_status compile_value(compiler *c, const frz_avro_schema *schema,
                                const frz_avro_projection *projection, frz_avro_column *column,
                                frz_error **err);

static frz_status emit(compiler *c, frz_avro_op op, size_t *index_out, frz_error **err)
{
    if (c->op_count >= UINT32_MAX ||
        !frz_grow_array((void **)&c->ops, &c->op_capacity, c->op_count, sizeof *c->ops))
        return frz_fail_memory(err);
    op.next = (uint32_t)c->op_count + 1;
    if (index_out)
        *index_out = c->op_count;
    c->ops[c->op_count++] = op;
    return FRZ_OK;
}

static frz_avro_projection whole(void)
{
    return (frz_avro_projection){.field_id = FRZ_AVRO_NO_ID};
}

static frz_status set_format(const compiler *c, frz_avro_column *column, frz_avro_layout layout,
                             const char *format, frz_error **err)
{
    column->layout = layout;
    column->format = frz_arena_text(&c->program->arena, format);
    return column->format ? FRZ_OK : frz_fail_memory(err);
}

static frz_status add_children(compiler *c, frz_avro_column *column, size_t count, frz_error **err)
{
    c->column_count += count;
    if (c->column_count > c->limits->schema_columns)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "more than %zu columns (limit schema_columns)", c->limits->schema_columns);
    column->children = frz_arena_array(&c->program->arena, count, sizeof *column->children);
    if (!column->children && count)
        return frz_fail_memory(err);
    column->child_count = count;
    for (size_t i = 0; i < count; i++) {
        column->children[i].budget = &c->program->budget;
        column->children[i].field_id = FRZ_AVRO_NO_ID;
        column->children[i].name = "";
    }
    return FRZ_OK;
}

static const char *zone_of(const frz_avro_schema *schema)
{
    return schema->adjust_to_utc ? "UTC" : "";
}

/* "Logical Types"; adjust-to-utc is Iceberg's, false when absent (spec, Appendix A, "Avro", note
 * 1). */
static void print_long_format(const frz_avro_schema *schema, char out[32])
{
    static const struct {
        const char *name;
        const char *format;
        bool zoned;
    } formats[] = {
        {"timestamp-millis", "tsm:", true},
        {"timestamp-micros", "tsu:", true},
        {"timestamp-nanos", "tsn:", true},
        {"local-timestamp-millis", "tsm:", false},
        {"local-timestamp-micros", "tsu:", false},
        {"local-timestamp-nanos", "tsn:", false},
        {"time-micros", "ttu", false},
    };
    for (size_t i = 0; schema->logical_type && i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(schema->logical_type, formats[i].name) == 0) {
            (void)snprintf(out, 32, "%s%s", formats[i].format,
                           formats[i].zoned ? zone_of(schema) : "");
            return;
        }
    }
    (void)snprintf(out, 32, "l");
}

static const char *int_format(const frz_avro_schema *schema)
{
    if (schema->logical_type && strcmp(schema->logical_type, "date") == 0)
        return "tdD";
    if (schema->logical_type && strcmp(schema->logical_type, "time-millis") == 0)
        return "ttm";
    return "i";
}

static frz_status compile_leaf(compiler *c, frz_avro_op_kind kind, size_t width, const char *format,
                               frz_avro_column *column, frz_error **err)
{
    frz_avro_layout layout = FRZ_AVRO_LAYOUT_WIDTH;
    if (kind == FRZ_AVRO_OP_NULL)
        layout = FRZ_AVRO_LAYOUT_NULL;
    else if (kind == FRZ_AVRO_OP_BOOLEAN)
        layout = FRZ_AVRO_LAYOUT_BITS;
    else if (kind == FRZ_AVRO_OP_BYTES || kind == FRZ_AVRO_OP_ENUM)
        layout = FRZ_AVRO_LAYOUT_VARIABLE;
    column->width = width;
    column->nullable = column->nullable || kind == FRZ_AVRO_OP_NULL;
    FRZ_TRY(set_format(c, column, layout, format, err));
    return emit(c, (frz_avro_op){.kind = kind, .size = width, .column = column}, NULL, err);
}

static frz_status compile_decimal(compiler *c, const frz_avro_schema *schema,
                                  frz_avro_column *column, frz_error **err)
{
    char format[32];
    if (schema->precision > FRZ_DECIMAL_PRECISION_MAX)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "decimal(%d,%d): more than 38 digits",
                        (int)schema->precision, (int)schema->scale);
    (void)snprintf(format, sizeof format, "d:%d,%d", (int)schema->precision, (int)schema->scale);
    FRZ_TRY(set_format(c, column, FRZ_AVRO_LAYOUT_WIDTH, format, err));
    column->width = sizeof(frz_int128);
    const bool fixed = schema->kind == FRZ_AVRO_FIXED;
    return emit(c,
                (frz_avro_op){.kind = fixed ? FRZ_AVRO_OP_DECIMAL_FIXED : FRZ_AVRO_OP_DECIMAL_BYTES,
                              .size = (size_t)schema->size,
                              .precision = schema->precision,
                              .column = column},
                NULL, err);
}

static frz_status compile_fixed(compiler *c, const frz_avro_schema *schema, frz_avro_column *column,
                                frz_error **err)
{
    char format[32];
    const bool prefix = c->skips.in_partition && !schema->logical_type;
    if (schema->precision > 0)
        return compile_decimal(c, schema, column, err);
    (void)snprintf(format, sizeof format, "w:%d", (int)schema->size);
    return compile_leaf(c, prefix ? FRZ_AVRO_OP_FIXED : FRZ_AVRO_OP_WIDTH, (size_t)schema->size,
                        format, column, err);
}

static frz_status compile_enum(compiler *c, const frz_avro_schema *schema, frz_avro_column *column,
                               frz_error **err)
{
    FRZ_TRY(compile_leaf(c, FRZ_AVRO_OP_ENUM, 0, "u", column, err));
    c->ops[c->op_count - 1].symbols = schema->symbols;
    c->ops[c->op_count - 1].symbol_count = schema->symbol_count;
    return FRZ_OK;
}

static const char *branch_name(const frz_avro_schema *schema)
{
    static const char *const names[] = {
        [FRZ_AVRO_NULL] = "null",   [FRZ_AVRO_BOOLEAN] = "boolean", [FRZ_AVRO_INT] = "int",
        [FRZ_AVRO_LONG] = "long",   [FRZ_AVRO_FLOAT] = "float",     [FRZ_AVRO_DOUBLE] = "double",
        [FRZ_AVRO_BYTES] = "bytes", [FRZ_AVRO_STRING] = "string",   [FRZ_AVRO_FIXED] = "fixed",
        [FRZ_AVRO_ENUM] = "enum",   [FRZ_AVRO_RECORD] = "record",   [FRZ_AVRO_ARRAY] = "array",
        [FRZ_AVRO_MAP] = "map",     [FRZ_AVRO_UNION] = "union",
    };
    return schema->name ? schema->name : names[schema->kind];
}

/* A union of several types: an Arrow union with one child for each branch, null too. */
static frz_status compile_variants(compiler *c, const frz_avro_schema *schema,
                                   frz_avro_column *column, frz_error **err)
{
    const frz_avro_projection all = whole();
    frz_buffer format = {0};
    size_t index = 0;
    if (schema->branch_count > UNION_BRANCHES_MAX)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "a union of %zu types",
                        schema->branch_count);
    frz_buffer_append_text(&format, "+us:");
    for (size_t i = 0; i < schema->branch_count; i++)
        frz_buffer_printf(&format, "%s%zu", i ? "," : "", i);
    frz_buffer_append_byte(&format, 0);
    frz_status status = frz_buffer_check(&format, err);
    if (status == FRZ_OK)
        status = set_format(c, column, FRZ_AVRO_LAYOUT_UNION, (const char *)format.data, err);
    frz_buffer_clear(&format);
    FRZ_TRY(status);
    column->nullable = false;
    FRZ_TRY(add_children(c, column, schema->branch_count, err));
    FRZ_TRY(emit(
        c, (frz_avro_op){.kind = FRZ_AVRO_OP_UNION, .size = schema->branch_count, .column = column},
        &index, err));
    for (size_t i = 0; i < schema->branch_count; i++) {
        size_t branch = 0;
        frz_avro_column *child = &column->children[i];
        child->name = branch_name(schema->branches[i]);
        child->nullable = true;
        FRZ_TRY(emit(c, (frz_avro_op){.kind = FRZ_AVRO_OP_BRANCH, .column = child}, &branch, err));
        FRZ_TRY(compile_value(c, schema->branches[i], &all, child, err));
        c->ops[branch].next = (uint32_t)c->op_count;
    }
    c->ops[index].next = (uint32_t)c->op_count;
    return FRZ_OK;
}

/* A union: null and one type, or one type alone (spec, Appendix A, "Avro": the only unions
 * allowed), or what Avro allows beside. */
static frz_status compile_union(compiler *c, const frz_avro_schema *schema,
                                const frz_avro_projection *projection, frz_avro_column *column,
                                frz_error **err)
{
    size_t body = 0;
    size_t null_branch = 0;
    size_t types = 0;
    size_t index = 0;
    for (size_t i = 0; i < schema->branch_count; i++) {
        if (schema->branches[i]->kind == FRZ_AVRO_NULL) {
            null_branch = i;
        } else {
            body = i;
            types++;
        }
    }
    if (types > 1 || schema->branch_count > 2)
        return compile_variants(c, schema, column, err);
    const bool only = schema->branch_count == 1;
    column->nullable = column->nullable || !only;
    FRZ_TRY(emit(c,
                 (frz_avro_op){.kind = only ? FRZ_AVRO_OP_ONLY : FRZ_AVRO_OP_OPTION,
                               .null_branch = null_branch,
                               .column = column},
                 &index, err));
    FRZ_TRY(compile_value(c, schema->branches[body], projection, column, err));
    c->ops[index].next = (uint32_t)c->op_count;
    return FRZ_OK;
}

static bool field_matches(const frz_avro_field *field, const frz_avro_projection *wanted)
{
    if (wanted->field_id != FRZ_AVRO_NO_ID)
        return field->field_id == wanted->field_id;
    return wanted->name && strcmp(field->name, wanted->name) == 0;
}

/* The column that a field of the file goes to; NULL when nobody asked for it. */
static frz_avro_column *find_target(const frz_avro_projection *projection,
                                    const frz_avro_field *field, size_t index,
                                    frz_avro_column *column, const frz_avro_projection **wanted_out)
{
    if (!projection->children)
        return &column->children[index];
    for (size_t i = 0; i < projection->child_count; i++) {
        if (!column->children[i].format && field_matches(field, &projection->children[i])) {
            *wanted_out = &projection->children[i];
            return &column->children[i];
        }
    }
    return NULL;
}

/* Wanted fields that the file lacks become null in every row. */
static frz_status add_absent(compiler *c, const frz_avro_projection *projection,
                             frz_avro_column *column, frz_error **err)
{
    for (size_t i = 0; projection->children && i < projection->child_count; i++) {
        frz_avro_column *child = &column->children[i];
        const frz_avro_projection *wanted = &projection->children[i];
        if (child->format)
            continue;
        child->name = frz_arena_text(&c->program->arena, wanted->name ? wanted->name : "");
        if (!child->name)
            return frz_fail_memory(err);
        child->field_id = wanted->field_id;
        child->nullable = true;
        FRZ_TRY(frz_avro_column_absent(child, wanted->absent_format ? wanted->absent_format : "n",
                                       &c->program->arena, err));
        FRZ_TRY(emit(c, (frz_avro_op){.kind = FRZ_AVRO_OP_NULL, .column = child}, NULL, err));
    }
    return FRZ_OK;
}

/* Fields passed over together, until a wanted one comes. */
typedef struct skipped {
    const frz_avro_skip **parts;
    size_t count;
} skipped;

static frz_status flush_skipped(compiler *c, skipped *run, frz_error **err)
{
    const frz_avro_skip *joined = NULL;
    if (run->count == 0)
        return FRZ_OK;
    FRZ_TRY(frz_avro_skip_join(&c->skips, run->parts, run->count, &joined, err));
    run->count = 0;
    return emit(c, (frz_avro_op){.kind = FRZ_AVRO_OP_SKIP, .skip = joined}, NULL, err);
}

static frz_status compile_field(compiler *c, const frz_avro_field *field,
                                const frz_avro_projection *wanted, frz_avro_column *child,
                                skipped *run, frz_error **err)
{
    const bool outer = c->skips.in_partition;
    frz_status status = FRZ_OK;
    c->skips.in_partition = outer || field->field_id == FRZ_AVRO_PARTITION_ID;
    if (child) {
        child->name = field->name;
        child->field_id = field->field_id;
        status = flush_skipped(c, run, err);
        if (status == FRZ_OK)
            status = compile_value(c, field->type, wanted, child, err);
        if (status != FRZ_OK)
            status = frz_context(err, status, "Avro field %s", field->name);
    } else {
        status = frz_avro_skip_compile(&c->skips, field->type, &run->parts[run->count++], err);
    }
    c->skips.in_partition = outer;
    return status;
}

static frz_status compile_fields(compiler *c, const frz_avro_schema *schema,
                                 const frz_avro_projection *projection, frz_avro_column *column,
                                 frz_error **err)
{
    skipped run = {.parts =
                       frz_arena_array(&c->program->arena, schema->field_count, sizeof *run.parts)};
    if (!run.parts && schema->field_count)
        return frz_fail_memory(err);
    for (size_t i = 0; i < schema->field_count; i++) {
        const frz_avro_projection all = whole();
        const frz_avro_projection *wanted = &all;
        frz_avro_column *child = find_target(projection, &schema->fields[i], i, column, &wanted);
        FRZ_TRY(compile_field(c, &schema->fields[i], wanted, child, &run, err));
    }
    FRZ_TRY(flush_skipped(c, &run, err));
    return add_absent(c, projection, column, err);
}

static frz_status compile_record(compiler *c, const frz_avro_schema *schema,
                                 const frz_avro_projection *projection, frz_avro_column *column,
                                 frz_error **err)
{
    const open_record here = {.schema = schema, .outer = c->open};
    for (const open_record *at = c->open; at; at = at->outer)
        if (at->schema == schema)
            return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "record %s contains itself",
                            schema->name);
    FRZ_TRY(set_format(c, column, FRZ_AVRO_LAYOUT_STRUCT, "+s", err));
    FRZ_TRY(add_children(
        c, column, projection->children ? projection->child_count : schema->field_count, err));
    FRZ_TRY(emit(c, (frz_avro_op){.kind = FRZ_AVRO_OP_RECORD, .column = column}, NULL, err));
    c->open = &here;
    const frz_status status = compile_fields(c, schema, projection, column, err);
    c->open = here.outer;
    return status;
}

static const frz_avro_projection *item_of(const frz_avro_projection *projection,
                                          const frz_avro_projection *all)
{
    return projection->children ? &projection->children[0] : all;
}

static bool can_filter(const frz_avro_schema *schema, const frz_avro_projection *projection)
{
    const frz_avro_kind key = schema->is_map ? schema->items->fields[0].type->kind : FRZ_AVRO_NULL;
    return projection->map_keys && (key == FRZ_AVRO_INT || key == FRZ_AVRO_LONG);
}

static frz_status add_filter(compiler *c, const frz_avro_schema *schema,
                             const frz_avro_projection *projection, frz_avro_op *op,
                             frz_error **err)
{
    const size_t size = projection->map_key_count * sizeof(int32_t);
    int32_t *keys = frz_arena_alloc(&c->program->arena, size);
    if (!keys)
        return frz_fail_memory(err);
    if (size)
        memcpy(keys, projection->map_keys, size);
    op->kind = FRZ_AVRO_OP_FILTER;
    op->keys = keys;
    op->key_count = projection->map_key_count;
    for (size_t i = 0; i < op->key_count; i++)
        if (op->keys[i] >= 0 && op->keys[i] < 64)
            op->short_keys |= UINT64_C(1) << op->keys[i];
    return frz_avro_skip_compile(&c->skips, schema->items->fields[1].type, &op->skip_value, err);
}

static frz_status compile_array(compiler *c, const frz_avro_schema *schema,
                                const frz_avro_projection *projection, frz_avro_column *column,
                                frz_error **err)
{
    frz_avro_op op = {.kind = FRZ_AVRO_OP_LIST, .column = column};
    const frz_avro_projection all = whole();
    size_t index = 0;
    FRZ_TRY(set_format(c, column, FRZ_AVRO_LAYOUT_LIST, schema->is_map ? "+m" : "+l", err));
    FRZ_TRY(add_children(c, column, 1, err));
    column->children[0].name = schema->is_map ? "entries" : "element";
    column->children[0].field_id = schema->element_id;
    FRZ_TRY(frz_avro_skip_compile(&c->skips, schema->items, &op.skip, err));
    if (can_filter(schema, projection))
        FRZ_TRY(add_filter(c, schema, projection, &op, err));
    FRZ_TRY(emit(c, op, &index, err));
    FRZ_TRY(compile_value(c, schema->items, item_of(projection, &all), &column->children[0], err));
    c->ops[index].next = (uint32_t)c->op_count;
    return FRZ_OK;
}

static frz_status compile_map(compiler *c, const frz_avro_schema *schema,
                              const frz_avro_projection *projection, frz_avro_column *column,
                              frz_error **err)
{
    static const frz_avro_skip text = {.kind = FRZ_AVRO_SKIP_LENGTH, .size_min = 1};
    const frz_avro_projection all = whole();
    const frz_avro_skip *pair[2] = {&text, NULL};
    frz_avro_op op = {.kind = FRZ_AVRO_OP_LIST, .column = column};
    size_t index = 0;
    FRZ_TRY(set_format(c, column, FRZ_AVRO_LAYOUT_LIST, "+m", err));
    FRZ_TRY(add_children(c, column, 1, err));
    frz_avro_column *entries = &column->children[0];
    entries->name = "entries";
    FRZ_TRY(set_format(c, entries, FRZ_AVRO_LAYOUT_STRUCT, "+s", err));
    FRZ_TRY(add_children(c, entries, 2, err));
    entries->children[0].name = "key";
    entries->children[0].field_id = schema->key_id;
    entries->children[1].name = "value";
    entries->children[1].field_id = schema->value_id;
    FRZ_TRY(frz_avro_skip_compile(&c->skips, schema->items, &pair[1], err));
    FRZ_TRY(frz_avro_skip_join(&c->skips, pair, 2, &op.skip, err));
    FRZ_TRY(emit(c, op, &index, err));
    FRZ_TRY(emit(c, (frz_avro_op){.kind = FRZ_AVRO_OP_RECORD, .column = entries}, NULL, err));
    FRZ_TRY(compile_leaf(c, FRZ_AVRO_OP_BYTES, 0, "u", &entries->children[0], err));
    FRZ_TRY(compile_value(c, schema->items, item_of(projection, &all), &entries->children[1], err));
    c->ops[index].next = (uint32_t)c->op_count;
    return FRZ_OK;
}

static frz_status compile_primitive(compiler *c, const frz_avro_schema *schema,
                                    frz_avro_column *column, frz_error **err)
{
    char format[32];
    switch (schema->kind) {
    case FRZ_AVRO_BOOLEAN:
        return compile_leaf(c, FRZ_AVRO_OP_BOOLEAN, 0, "b", column, err);
    case FRZ_AVRO_INT:
        return compile_leaf(c, FRZ_AVRO_OP_INT, 4, int_format(schema), column, err);
    case FRZ_AVRO_LONG:
        print_long_format(schema, format);
        return compile_leaf(c, FRZ_AVRO_OP_LONG, 8, format, column, err);
    case FRZ_AVRO_FLOAT:
        return compile_leaf(c, FRZ_AVRO_OP_WIDTH, 4, "f", column, err);
    case FRZ_AVRO_DOUBLE:
        return compile_leaf(c, FRZ_AVRO_OP_WIDTH, 8, "g", column, err);
    case FRZ_AVRO_BYTES:
        if (schema->precision > 0)
            return compile_decimal(c, schema, column, err);
        return compile_leaf(c, FRZ_AVRO_OP_BYTES, 0, "z", column, err);
    case FRZ_AVRO_STRING:
        return compile_leaf(c, FRZ_AVRO_OP_BYTES, 0, "u", column, err);
    case FRZ_AVRO_ENUM:
        return compile_enum(c, schema, column, err);
    case FRZ_AVRO_FIXED:
        return compile_fixed(c, schema, column, err);
    case FRZ_AVRO_NULL:
    case FRZ_AVRO_RECORD:
    case FRZ_AVRO_ARRAY:
    case FRZ_AVRO_MAP:
    case FRZ_AVRO_UNION:
        break;
    }
    return compile_leaf(c, FRZ_AVRO_OP_NULL, 0, "n", column, err);
}

static frz_status compile_value(compiler *c, const frz_avro_schema *schema,
                                const frz_avro_projection *projection, frz_avro_column *column,
                                frz_error **err)
{
    frz_status status = FRZ_OK;
    if (c->depth >= c->limits->nesting_depth)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "types nested deeper than %u (limit nesting_depth)",
                        (unsigned)c->limits->nesting_depth);
    c->depth++;
    if (schema->kind == FRZ_AVRO_RECORD)
        status = compile_record(c, schema, projection, column, err);
    else if (schema->kind == FRZ_AVRO_UNION)
        status = compile_union(c, schema, projection, column, err);
    else if (schema->kind == FRZ_AVRO_ARRAY)
        status = compile_array(c, schema, projection, column, err);
    else if (schema->kind == FRZ_AVRO_MAP)
        status = compile_map(c, schema, projection, column, err);
    else
        status = compile_primitive(c, schema, column, err);
    c->depth--;
    return status;
}

/* Rows are always a struct: what is not a record becomes its only column, `value`. */
static frz_status compile_root(compiler *c, const frz_avro_schema *schema,
                               const frz_avro_projection *projection, frz_error **err)
{
    static const frz_avro_field wrapped = {.name = "value", .field_id = FRZ_AVRO_NO_ID};
    frz_avro_schema *wrapper = NULL;
    frz_avro_field *field = NULL;
    if (schema->kind == FRZ_AVRO_RECORD)
        return compile_value(c, schema, projection, &c->program->root, err);
    wrapper = frz_arena_alloc(&c->program->arena, sizeof *wrapper);
    field = frz_arena_alloc(&c->program->arena, sizeof *field);
    if (!wrapper || !field)
        return frz_fail_memory(err);
    *field = wrapped;
    field->type = schema;
    *wrapper = (frz_avro_schema){
        .kind = FRZ_AVRO_RECORD, .name = "value", .fields = field, .field_count = 1};
    return compile_value(c, wrapper, projection, &c->program->root, err);
}

static frz_status hand_over(compiler *c, const frz_avro_schema *schema, frz_error **err)
{
    frz_avro_program *program = c->program;
    FRZ_TRY(frz_avro_skip_compile(&c->skips, schema, &program->row, err));
    const size_t size = c->op_count * sizeof *c->ops;
    program->ops = frz_arena_alloc(&program->arena, size);
    if (!program->ops)
        return frz_fail_memory(err);
    memcpy(program->ops, c->ops, size);
    program->op_count = (uint32_t)c->op_count;
    program->has_prefix = c->skips.has_prefix;
    const uint64_t fit = PROGRAM_ROWS_SIZE / frz_avro_column_row_size(&program->root);
    program->rows_max = fit < 1 ? 1 : fit < PROGRAM_ROWS_MAX ? (int64_t)fit : PROGRAM_ROWS_MAX;
    return FRZ_OK;
}

frz_status frz_avro_program_compile(const frz_avro_schema *schema,
                                    const frz_avro_projection *projection, const frz_limits *limits,
                                    frz_avro_program *out, frz_error **err)
{
    const frz_avro_projection all = whole();
    *out = (frz_avro_program){.depth_max = limits->nesting_depth};
    out->arena.budget = limits->parse_budget;
    out->budget.max = limits->avro_block_size < ((size_t)512 << 20) / 4
                          ? 4 * limits->avro_block_size
                          : (size_t)512 << 20;
    out->root = (frz_avro_column){.name = "", .field_id = FRZ_AVRO_NO_ID, .budget = &out->budget};
    compiler c = {.program = out, .limits = limits, .skips = {.arena = &out->arena}};
    frz_status status = compile_root(&c, schema, projection ? projection : &all, err);
    if (status == FRZ_OK)
        status = hand_over(&c, schema, err);
    frz_avro_skip_compiler_clear(&c.skips);
    frz_free(c.ops);
    if (status != FRZ_OK)
        frz_avro_program_clear(out);
    return status;
}

static bool append_path(const frz_avro_column *at, const frz_avro_column *column, char *out,
                        size_t size)
{
    const size_t length = strlen(out);
    if (at == column)
        return true;
    for (size_t i = 0; i < at->child_count; i++) {
        (void)snprintf(out + length, size - length, "%s%s", length ? "." : "",
                       at->children[i].name);
        if (append_path(&at->children[i], column, out, size))
            return true;
        out[length] = '\0';
    }
    return false;
}

void frz_avro_program_path(const frz_avro_program *program, const frz_avro_column *column,
                           char *out, size_t size)
{
    out[0] = '\0';
    if (column && !append_path(&program->root, column, out, size))
        out[0] = '\0';
}

void frz_avro_program_clear(frz_avro_program *program)
{
    frz_avro_column_clear(&program->root);
    frz_arena_clear(&program->arena);
    *program = (frz_avro_program){0};
}
