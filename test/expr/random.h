/*
 * Seeded random rows of the sample schema as an Arrow batch, random expressions as text, and a
 * naive oracle that judges one row at a time in three-valued logic, NOT included, with comparisons
 * of its own.
 */
#ifndef FRZ_TEST_EXPR_RANDOM_H
#define FRZ_TEST_EXPR_RANDOM_H

#include "expr/sample.h"

#include <float.h>
#include <math.h>

#include "arrow/array.h"
#include "arrow/builder.h"
#include "expr/literal.h"
#include "expr/truth.h"

enum { ROWS_MAX = 200, VALUES_MAX = 4, TREE_MAX = 64, TEXT_MAX = 24 };

typedef struct rng {
    uint64_t state;
} rng;

static inline uint64_t rng_next(rng *r)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return r->state;
}

static inline int64_t rng_below(rng *r, int64_t limit)
{
    return (int64_t)(rng_next(r) >> 11) % limit;
}

/* The columns that expressions use: a path, its type, and where its values come from. */
enum { COLUMN_ITSELF = -1, SIZE = -2 };

typedef struct leaf_column {
    const char *path;
    int top;    /* field of the schema */
    int inside; /* field within a struct, index of a list; COLUMN_ITSELF, SIZE */
    bool direct;
} leaf_column;

static const leaf_column leaf_columns[] = {
    {"b", 0, -1, true},           {"i", 1, -1, true},
    {"l", 2, -1, true},           {"f", 3, -1, true},
    {"d", 4, -1, true},           {"dec", 5, -1, true},
    {"dt", 6, -1, true},          {"tm", 7, -1, true},
    {"ts", 8, -1, true},          {"tz", 9, -1, true},
    {"tn", 10, -1, true},         {"zn", 11, -1, true},
    {"s", 12, -1, true},          {"u", 13, -1, true},
    {"fx", 14, -1, true},         {"bin", 15, -1, true},
    {"id", 19, -1, true},         {"dec38", 23, -1, true},
    {"st.a", 16, 0, true},        {"st.b", 16, 1, true},
    {"st.req", 16, 2, true},      {"ls[0]", 17, 0, false},
    {"ls[1]", 17, 1, false},      {"m['k']", 18, 0, false},
    {"lst[0].x", 24, 0, false},   {"size(ls)", 17, SIZE, false},
    {"size(m)", 18, SIZE, false},
};

enum { LEAVES = sizeof leaf_columns / sizeof leaf_columns[0], TOPS = 27 };

typedef struct table {
    const frz_schema *schema;
    frz_arena arena;
    int64_t row_count;
    frz_value tops[ROWS_MAX][TOPS];
    frz_value leaves[ROWS_MAX][LEAVES];
    struct ArrowArray batch;
} table;

static inline const frz_field *schema_field(const frz_schema *schema, int index)
{
    return &frz_schema_type(schema)->fields[index];
}

static inline const frz_type *leaf_type(const frz_schema *schema, int leaf)
{
    const frz_type *type = schema_field(schema, leaf_columns[leaf].top)->type;
    if (leaf_columns[leaf].inside == SIZE)
        return frz_type_of(FRZ_TYPE_INT);
    if (type->kind == FRZ_TYPE_STRUCT)
        return type->fields[leaf_columns[leaf].inside].type;
    if (type->kind == FRZ_TYPE_MAP)
        return type->fields[1].type;
    if (type->kind == FRZ_TYPE_LIST && type->fields[0].type->kind == FRZ_TYPE_STRUCT)
        return type->fields[0].type->fields[0].type;
    return type->kind == FRZ_TYPE_LIST ? type->fields[0].type : type;
}

static inline int64_t random_integer(rng *r, int64_t least, int64_t most, int64_t unit)
{
    switch (rng_below(r, 12)) {
    case 0:
        return least + rng_below(r, 3);
    case 1:
        return most - rng_below(r, 3);
    case 2:
        return (rng_below(r, 5) - 2) * unit + rng_below(r, 3) - 1;
    case 3:
        return (rng_below(r, 2001) - 1000) * unit;
    default:
        return rng_below(r, 31) - 15;
    }
}

static inline frz_value text_value(frz_arena *arena, const char *text)
{
    const char *copy = frz_arena_text(arena, text);
    CHECK(copy != NULL);
    return (frz_value){.form = FRZ_VALUE_BYTES, .bytes = frz_slice_of_text(copy)};
}

static inline frz_value random_text(rng *r, frz_arena *arena)
{
    static const char *const pieces[] = {"a", "b", "ab", "\xc3\xa9", "\xf0\x9f\x98\x80", "%",
                                         "_", "'", "\\", "zz",       "\xef\xbf\xbf"};
    char text[TEXT_MAX] = "";
    for (int64_t n = rng_below(r, 5); n > 0; n--) {
        const char *piece = pieces[rng_below(r, rng_below(r, 2) ? 3 : 11)];
        memcpy(text + strlen(text), piece, strlen(piece) + 1);
    }
    return text_value(arena, text);
}

static inline frz_value random_bytes(rng *r, frz_arena *arena, size_t size)
{
    static const uint8_t choice[] = {0, 0, 1, 0x7f, 0x80, 0xff};
    uint8_t bytes[16];
    frz_value value = {.form = FRZ_VALUE_BYTES};
    for (size_t i = 0; i < size; i++)
        bytes[i] = i < 2 ? choice[rng_below(r, 6)] : 0x40;
    CHECK(frz_arena_slice(arena, frz_slice_of(bytes, size), &value.bytes));
    return value;
}

static inline frz_value random_number(rng *r, bool narrow)
{
    static const double choice[] = {0.0, -0.0, 1.5, -1.5, 1, -1, 3, 0.1, FLT_MIN, 1e10};
    const int64_t pick = rng_below(r, 16);
    double number = pick < 10 ? choice[pick] : (double)rng_below(r, 9) - 4;
    if (pick == 14)
        number = rng_below(r, 2) ? (double)INFINITY : -(double)INFINITY;
    if (pick == 15)
        number = (double)NAN;
    if (pick == 13)
        number = narrow ? (double)FLT_MAX : DBL_MAX;
    return (frz_value){.form = FRZ_VALUE_NUMBER, .number = narrow ? (double)(float)number : number};
}

static inline frz_value integer_value_of(int64_t integer)
{
    return (frz_value){.form = FRZ_VALUE_INTEGER, .integer = integer};
}

/* Not null. */
static inline frz_value random_value(rng *r, const frz_type *type, frz_arena *arena)
{
    const int64_t day = 86400000000;
    switch (type->kind) {
    case FRZ_TYPE_BOOLEAN:
        return (frz_value){.form = FRZ_VALUE_BOOLEAN, .boolean = rng_below(r, 2) == 1};
    case FRZ_TYPE_INT:
        return integer_value_of(random_integer(r, INT32_MIN, INT32_MAX, 10));
    case FRZ_TYPE_DATE:
        return integer_value_of(random_integer(r, -2000000, 2000000, 31));
    case FRZ_TYPE_LONG:
        return integer_value_of(random_integer(r, INT64_MIN, INT64_MAX, 10));
    case FRZ_TYPE_TIME:
        return integer_value_of(rng_below(r, 5) * (day / 5));
    case FRZ_TYPE_TIMESTAMP:
    case FRZ_TYPE_TIMESTAMPTZ:
        return integer_value_of(random_integer(r, -3000000 * day, 3000000 * day, day / 24));
    case FRZ_TYPE_TIMESTAMP_NS:
    case FRZ_TYPE_TIMESTAMPTZ_NS:
        return integer_value_of(random_integer(r, INT64_MIN, INT64_MAX, 1000 * (day / 24)));
    case FRZ_TYPE_FLOAT:
    case FRZ_TYPE_DOUBLE:
        return random_number(r, type->kind == FRZ_TYPE_FLOAT);
    case FRZ_TYPE_DECIMAL: {
        const frz_int128 most = frz_decimal_power(type->precision) - 1;
        const int64_t pick = rng_below(r, 10);
        const frz_int128 small = random_integer(r, -1000, 1000, 10);
        return (frz_value){.form = FRZ_VALUE_DECIMAL,
                           .decimal = pick == 0   ? most - rng_below(r, 2)
                                      : pick == 1 ? -most + rng_below(r, 2)
                                                  : small};
    }
    case FRZ_TYPE_STRING:
        return random_text(r, arena);
    case FRZ_TYPE_UUID:
        return random_bytes(r, arena, 16);
    case FRZ_TYPE_FIXED:
        return random_bytes(r, arena, (size_t)type->length);
    case FRZ_TYPE_BINARY:
        return random_bytes(r, arena, (size_t)rng_below(r, 4));
    case FRZ_TYPE_UNKNOWN:
    case FRZ_TYPE_VARIANT:
    case FRZ_TYPE_GEOMETRY:
    case FRZ_TYPE_GEOGRAPHY:
    case FRZ_TYPE_STRUCT:
    case FRZ_TYPE_LIST:
    case FRZ_TYPE_MAP:
        break;
    }
    return (frz_value){.form = FRZ_VALUE_NULL};
}

static inline frz_value random_nested(rng *r, const frz_field *field, frz_arena *arena);

static inline frz_value random_field(rng *r, const frz_field *field, frz_arena *arena)
{
    if (!field->required && rng_below(r, 6) == 0)
        return (frz_value){.form = FRZ_VALUE_NULL};
    return frz_type_is_primitive(field->type) ? random_value(r, field->type, arena)
                                              : random_nested(r, field, arena);
}

static inline frz_value random_nested(rng *r, const frz_field *field, frz_arena *arena)
{
    const frz_type *type = field->type;
    const size_t count = type->kind == FRZ_TYPE_STRUCT ? type->field_count
                         : type->kind == FRZ_TYPE_LIST ? (size_t)rng_below(r, 4)
                                                       : 2 * (size_t)rng_below(r, 3);
    static const char *const keys[] = {"x", "k"};
    frz_value *items = frz_arena_array(arena, count, sizeof *items);
    CHECK(items != NULL);
    const int64_t first = rng_below(r, 2);
    for (size_t i = 0; i < count; i++) {
        if (type->kind == FRZ_TYPE_STRUCT)
            items[i] = random_field(r, &type->fields[i], arena);
        else if (type->kind == FRZ_TYPE_LIST)
            items[i] = random_field(r, &type->fields[0], arena);
        else if (i % 2 == 0)
            items[i] = text_value(arena, keys[((int64_t)(i / 2) + first) % 2]);
        else
            items[i] = random_field(r, &type->fields[1], arena);
    }
    return (frz_value){.form = type->kind == FRZ_TYPE_STRUCT ? FRZ_VALUE_STRUCT : FRZ_VALUE_LIST,
                       .items = {.data = items, .count = count}};
}

/* What the oracle sees of a nested value: found by hand, without the library's steps. */
static inline frz_value leaf_of(const frz_value *top, int leaf)
{
    const int inside = leaf_columns[leaf].inside;
    const frz_value none = {.form = FRZ_VALUE_NULL};
    if (inside == COLUMN_ITSELF || top->form == FRZ_VALUE_NULL)
        return *top;
    if (inside == SIZE)
        return (frz_value){.form = FRZ_VALUE_INTEGER,
                           .integer = leaf_columns[leaf].top == 18 ? (int64_t)(top->items.count / 2)
                                                                   : (int64_t)top->items.count};
    if (top->form == FRZ_VALUE_STRUCT)
        return top->items.data[inside];
    if (leaf_columns[leaf].path[0] == 'm') {
        for (size_t i = 0; i < top->items.count; i += 2) {
            if (frz_slice_is_text(top->items.data[i].bytes, "k"))
                return top->items.data[i + 1];
        }
        return none;
    }
    if ((size_t)inside >= top->items.count)
        return none;
    const frz_value element = top->items.data[inside];
    return element.form == FRZ_VALUE_STRUCT ? element.items.data[0] : element;
}

static inline void append_row(frz_arrow_builder *builder, const frz_type *type,
                              const frz_value *value)
{
    if (value->form == FRZ_VALUE_NULL) {
        frz_arrow_append_null(builder);
    } else if (value->form == FRZ_VALUE_BOOLEAN) {
        frz_arrow_append_bool(builder, value->boolean);
    } else if (value->form == FRZ_VALUE_INTEGER) {
        frz_arrow_append_i64(builder, value->integer);
    } else if (value->form == FRZ_VALUE_NUMBER) {
        frz_arrow_append_f64(builder, value->number);
    } else if (value->form == FRZ_VALUE_DECIMAL) {
        frz_arrow_append_decimal(builder, value->decimal);
    } else if (value->form == FRZ_VALUE_BYTES) {
        frz_arrow_append_bytes(builder, value->bytes);
    } else if (value->form == FRZ_VALUE_STRUCT) {
        for (size_t i = 0; i < type->field_count; i++)
            append_row(frz_arrow_builder_child(builder, i), type->fields[i].type,
                       &value->items.data[i]);
        frz_arrow_append_struct(builder);
    } else {
        frz_arrow_builder *child = frz_arrow_builder_child(builder, 0);
        const bool map = type->kind == FRZ_TYPE_MAP;
        for (size_t i = 0; i < value->items.count; i += 1 + map) {
            if (map) {
                append_row(frz_arrow_builder_child(child, 0), type->fields[0].type,
                           &value->items.data[i]);
                append_row(frz_arrow_builder_child(child, 1), type->fields[1].type,
                           &value->items.data[i + 1]);
                frz_arrow_append_struct(child);
            } else {
                append_row(child, type->fields[0].type, &value->items.data[i]);
            }
        }
        frz_arrow_append_list(builder);
    }
}

/* Fills the values; fill_batch makes the Arrow columns of them. */
static inline void fill_table(table *t, rng *r, const frz_schema *schema, int64_t rows)
{
    t->schema = schema;
    t->row_count = rows;
    for (int64_t row = 0; row < rows; row++) {
        for (int i = 0; i < TOPS; i++)
            t->tops[row][i] = random_field(r, schema_field(schema, i), &t->arena);
        for (int i = 0; i < LEAVES; i++)
            t->leaves[row][i] = leaf_of(&t->tops[row][leaf_columns[i].top], i);
    }
}

static inline void fill_batch(table *t)
{
    frz_error *err = NULL;
    struct ArrowSchema arrow = {0};
    frz_arrow_builder *builder = NULL;
    CHECK_OK(frz_schema_to_arrow(t->schema, &arrow, &err), err);
    CHECK_OK(frz_arrow_builder_new(&arrow, &builder, &err), err);
    for (int64_t row = 0; row < t->row_count; row++) {
        for (int i = 0; i < TOPS; i++)
            append_row(frz_arrow_builder_child(builder, (size_t)i),
                       schema_field(t->schema, i)->type, &t->tops[row][i]);
        frz_arrow_append_struct(builder);
    }
    CHECK_OK(frz_arrow_builder_finish(builder, &t->batch, &err), err);
    frz_arrow_builder_free(builder);
    frz_arrow_schema_clear(&arrow);
}

static inline void clear_table(table *t)
{
    frz_arrow_array_clear(&t->batch);
    frz_arena_clear(&t->arena);
}

/* An expression as the oracle has it. */
typedef enum tree_op {
    TREE_LT,
    TREE_LE,
    TREE_GT,
    TREE_GE,
    TREE_EQ,
    TREE_NE,
    TREE_IN,
    TREE_NOT_IN,
    TREE_BETWEEN,
    TREE_NOT_BETWEEN,
    TREE_IS_NULL,
    TREE_NOT_NULL,
    TREE_IS_NAN,
    TREE_NOT_NAN,
    TREE_STARTS,
    TREE_NOT_STARTS,
    TREE_LIKE,
    TREE_NOT_LIKE,
    TREE_AND,
    TREE_OR,
    TREE_NOT
} tree_op;

typedef struct tree {
    tree_op op;
    const struct tree *left;
    const struct tree *right;
    int leaf;
    int value_count;
    frz_value values[VALUES_MAX];
    bool halves[VALUES_MAX]; /* integers: the literal is value + 1/2 */
} tree;

static inline bool is_floating_type(const frz_type *type)
{
    return type->kind == FRZ_TYPE_FLOAT || type->kind == FRZ_TYPE_DOUBLE;
}

static inline tree_op random_op(rng *r, const frz_type *type)
{
    const int64_t pick = rng_below(r, 14);
    if (pick < 10)
        return (tree_op)pick;
    if (pick == 12 && is_floating_type(type))
        return rng_below(r, 2) ? TREE_IS_NAN : TREE_NOT_NAN;
    if (pick >= 12 && type->kind == FRZ_TYPE_STRING)
        return (tree_op)(TREE_STARTS + rng_below(r, 4));
    return rng_below(r, 2) ? TREE_IS_NULL : TREE_NOT_NULL;
}

static inline int operand_count(rng *r, tree_op op)
{
    if (op == TREE_IN || op == TREE_NOT_IN)
        return 1 + (int)rng_below(r, VALUES_MAX);
    if (op == TREE_BETWEEN || op == TREE_NOT_BETWEEN)
        return 2;
    return op >= TREE_IS_NULL && op <= TREE_NOT_NAN ? 0 : 1;
}

/* A pattern with wildcards; its escapes must be right. */
static inline frz_value random_pattern(rng *r, frz_arena *arena)
{
    static const char *const pieces[] = {"a",   "b",    "%",        "_", "\\%",
                                         "\\_", "\\\\", "\xc3\xa9", "%%"};
    char text[TEXT_MAX] = "";
    for (int64_t n = rng_below(r, 5); n > 0; n--) {
        const char *piece = pieces[rng_below(r, 9)];
        memcpy(text + strlen(text), piece, strlen(piece) + 1);
    }
    return text_value(arena, text);
}

static inline const tree *random_leaf(rng *r, const frz_schema *schema, frz_arena *arena, int leaf)
{
    const frz_type *type = leaf_type(schema, leaf);
    tree *t = frz_arena_alloc(arena, sizeof *t);
    CHECK(t != NULL);
    t->leaf = leaf;
    t->op = random_op(r, type);
    t->value_count = operand_count(r, t->op);
    for (int i = 0; i < t->value_count; i++) {
        const bool integer = type->kind == FRZ_TYPE_INT || type->kind == FRZ_TYPE_LONG;
        if (t->op == TREE_LIKE || t->op == TREE_NOT_LIKE)
            t->values[i] = random_pattern(r, arena);
        else if (rng_below(r, 25) > 0 || t->op >= TREE_STARTS)
            t->values[i] = random_value(r, type, arena);
        else
            t->values[i] = (frz_value){.form = FRZ_VALUE_NULL};
        if (integer && t->values[i].form == FRZ_VALUE_INTEGER && rng_below(r, 5) == 0)
            t->halves[i] = true;
        else if (type->kind == FRZ_TYPE_INT && t->values[i].form == FRZ_VALUE_INTEGER &&
                 rng_below(r, 20) == 0)
            t->values[i].integer = rng_below(r, 2) ? INT64_C(5000000000) : INT64_C(-5000000000);
    }
    return t;
}

static inline const tree *random_tree(rng *r, const frz_schema *schema, frz_arena *arena, int depth,
                                      int leaf_count)
{
    if (depth == 0 || rng_below(r, 4) == 0)
        return random_leaf(r, schema, arena, (int)rng_below(r, leaf_count));
    tree *t = frz_arena_alloc(arena, sizeof *t);
    CHECK(t != NULL);
    t->op = (tree_op)(TREE_AND + rng_below(r, 3));
    t->left = random_tree(r, schema, arena, depth - 1, leaf_count);
    if (t->op != TREE_NOT)
        t->right = random_tree(r, schema, arena, depth - 1, leaf_count);
    return t;
}

static inline void print_operand(const tree *t, int index, const frz_type *type, frz_buffer *out)
{
    const frz_value *value = &t->values[index];
    if (value->form == FRZ_VALUE_NULL) {
        frz_buffer_append_text(out, "NULL");
    } else if (t->halves[index] && value->integer < 0) {
        /* value + 1/2 of a negative value: -3 + 0.5 is -2.5 */
        frz_buffer_printf(out, "-%llu.5", (unsigned long long)-(value->integer + 1));
    } else if (t->halves[index]) {
        frz_buffer_printf(out, "%lld.5", (long long)value->integer);
    } else {
        frz_literal_print(type, value, out);
    }
}

static inline void print_leaf_tree(const tree *t, const frz_schema *schema, frz_buffer *out)
{
    static const char *const texts[] = {
        " < ",       " <= ",          " > ",           " >= ",
        " = ",       " <> ",          " IN ",          " NOT IN ",
        " BETWEEN ", " NOT BETWEEN ", " IS NULL",      " IS NOT NULL",
        " IS NAN",   " IS NOT NAN",   " STARTS WITH ", " NOT STARTS WITH ",
        " LIKE ",    " NOT LIKE "};
    const frz_type *type = leaf_type(schema, t->leaf);
    const bool set = t->op == TREE_IN || t->op == TREE_NOT_IN;
    frz_buffer_printf(out, "%s%s%s", leaf_columns[t->leaf].path, texts[t->op], set ? "(" : "");
    for (int i = 0; i < t->value_count; i++) {
        if (i > 0)
            frz_buffer_append_text(out, set ? ", " : " AND ");
        print_operand(t, i, type, out);
    }
    if (set)
        frz_buffer_append_byte(out, ')');
}

static inline void print_tree(const tree *t, const frz_schema *schema, frz_buffer *out)
{
    if (t->op < TREE_AND) {
        print_leaf_tree(t, schema, out);
        return;
    }
    frz_buffer_append_text(out, t->op == TREE_NOT ? "NOT (" : "(");
    print_tree(t->left, schema, out);
    if (t->right) {
        frz_buffer_append_text(out, t->op == TREE_AND ? " AND " : " OR ");
        print_tree(t->right, schema, out);
    }
    frz_buffer_append_byte(out, ')');
}

static inline int compare_numbers(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

/* `value` against literal `index`: -1, 0, 1. */
static inline int oracle_compare(const tree *t, int index, const frz_value *value)
{
    const frz_value *literal = &t->values[index];
    if (value->form == FRZ_VALUE_INTEGER) {
        const frz_int128 a = (frz_int128)value->integer * 2;
        const frz_int128 b = (frz_int128)literal->integer * 2 + t->halves[index];
        return (a > b) - (a < b);
    }
    if (value->form == FRZ_VALUE_DECIMAL)
        return (value->decimal > literal->decimal) - (value->decimal < literal->decimal);
    if (value->form == FRZ_VALUE_NUMBER)
        return compare_numbers(value->number, literal->number);
    if (value->form == FRZ_VALUE_BOOLEAN)
        return value->boolean - literal->boolean;
    for (size_t i = 0;; i++) {
        const int a = i < value->bytes.size ? value->bytes.data[i] : -1;
        const int b = i < literal->bytes.size ? literal->bytes.data[i] : -1;
        if (a != b)
            return a < b ? -1 : 1;
        if (a < 0)
            return 0;
    }
}

static inline frz_truth to_truth(bool value)
{
    return value ? FRZ_TRUTH_TRUE : FRZ_TRUTH_FALSE;
}

static inline frz_truth flip(frz_truth truth)
{
    return (frz_truth)(2 - (int)truth);
}

static inline frz_truth both(frz_truth a, frz_truth b)
{
    return a < b ? a : b;
}

/* Backtracking, by the definition. */
static inline bool oracle_like(const char *p, size_t p_size, const char *t, size_t t_size)
{
    if (p_size == 0)
        return t_size == 0;
    if (*p == '%')
        return oracle_like(p + 1, p_size - 1, t, t_size) ||
               (t_size > 0 && oracle_like(p, p_size, t + 1, t_size - 1));
    if (t_size == 0)
        return false;
    if (*p == '_') {
        size_t size = 1;
        if (((uint8_t)*t & 0xc0) == 0x80)
            return false; /* no character starts here */
        while (size < t_size && ((uint8_t)t[size] & 0xc0) == 0x80)
            size++;
        return oracle_like(p + 1, p_size - 1, t + size, t_size - size);
    }
    const size_t escape = *p == '\\';
    return p[escape] == *t && oracle_like(p + 1 + escape, p_size - 1 - escape, t + 1, t_size - 1);
}

static inline frz_truth oracle_order(const tree *t, int index, tree_op op, const frz_value *value)
{
    if (value->form == FRZ_VALUE_NULL || t->values[index].form == FRZ_VALUE_NULL)
        return FRZ_TRUTH_UNKNOWN;
    const int order = oracle_compare(t, index, value);
    return to_truth(op == TREE_LT   ? order < 0
                    : op == TREE_LE ? order <= 0
                    : op == TREE_GT ? order > 0
                    : op == TREE_GE ? order >= 0
                                    : order == 0);
}

static inline frz_truth oracle_in(const tree *t, const frz_value *value)
{
    frz_truth found = FRZ_TRUTH_FALSE;
    for (int i = 0; i < t->value_count; i++) {
        const frz_truth same = oracle_order(t, i, TREE_EQ, value);
        found = same > found ? same : found;
    }
    return found;
}

static inline frz_truth oracle_text(const tree *t, const frz_value *value)
{
    if (value->form == FRZ_VALUE_NULL)
        return FRZ_TRUTH_UNKNOWN;
    const frz_slice text = value->bytes;
    const frz_slice pattern = t->values[0].bytes;
    if (t->op >= TREE_LIKE)
        return to_truth(oracle_like((const char *)pattern.data, pattern.size,
                                    (const char *)text.data, text.size));
    bool same = text.size >= pattern.size;
    for (size_t i = 0; same && i < pattern.size; i++)
        same = text.data[i] == pattern.data[i];
    return to_truth(same);
}

static inline frz_truth oracle_leaf(const tree *t, const frz_value *value)
{
    const bool null = value->form == FRZ_VALUE_NULL;
    switch (t->op) {
    case TREE_LT:
    case TREE_LE:
    case TREE_GT:
    case TREE_GE:
    case TREE_EQ:
        return oracle_order(t, 0, t->op, value);
    case TREE_NE:
        return flip(oracle_order(t, 0, TREE_EQ, value));
    case TREE_IN:
        return oracle_in(t, value);
    case TREE_NOT_IN:
        return flip(oracle_in(t, value));
    case TREE_BETWEEN:
    case TREE_NOT_BETWEEN: {
        const frz_truth between =
            both(oracle_order(t, 0, TREE_GE, value), oracle_order(t, 1, TREE_LE, value));
        return t->op == TREE_BETWEEN ? between : flip(between);
    }
    case TREE_IS_NULL:
        return to_truth(null);
    case TREE_NOT_NULL:
        return to_truth(!null);
    case TREE_IS_NAN:
        return to_truth(!null && isnan(value->number));
    case TREE_NOT_NAN:
        return to_truth(null || !isnan(value->number));
    case TREE_STARTS:
    case TREE_LIKE:
        return oracle_text(t, value);
    case TREE_NOT_STARTS:
    case TREE_NOT_LIKE:
        return flip(oracle_text(t, value));
    case TREE_AND:
    case TREE_OR:
    case TREE_NOT:
        break;
    }
    return FRZ_TRUTH_UNKNOWN;
}

static inline frz_truth oracle(const tree *t, const frz_value *leaves)
{
    if (t->op == TREE_NOT)
        return flip(oracle(t->left, leaves));
    if (t->op == TREE_AND)
        return both(oracle(t->left, leaves), oracle(t->right, leaves));
    if (t->op == TREE_OR)
        return flip(both(flip(oracle(t->left, leaves)), flip(oracle(t->right, leaves))));
    return oracle_leaf(t, &leaves[t->leaf]);
}

/* A tree's expression: printed, and parsed. */
static inline const frz_expr *parse_tree(const tree *t, const frz_schema *schema, frz_arena *arena,
                                         frz_buffer *text)
{
    frz_buffer_reset(text);
    print_tree(t, schema, text);
    frz_buffer_append_byte(text, 0);
    return sample_parse(schema, (const char *)text->data, arena);
}

#endif
