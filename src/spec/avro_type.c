#include "spec/avro_type.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/utf8.h"

enum { NAME_SIZE = 48 };

static bool is_letter(uint32_t code)
{
    return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') || code == '_';
}

/* One code point of UTF-8; a byte that starts none counts for itself. */
static uint32_t next_code_point(const char **at)
{
    const uint8_t *bytes = (const uint8_t *)*at;
    const size_t size = frz_utf8_size(bytes, strlen(*at));
    *at += size ? size : 1;
    return size ? frz_utf8_get(bytes, size) : bytes[0];
}

void frz_avro_name_print(const char *name, frz_buffer *out)
{
    for (const char *at = name; *at;) {
        const bool first = at == name;
        const uint32_t code = next_code_point(&at);
        const bool digit = code >= '0' && code <= '9';
        if (is_letter(code) || (digit && !first))
            frz_buffer_append_byte(out, (uint8_t)code);
        else if (digit)
            frz_buffer_printf(out, "_%c", (char)code);
        else if (code < 0x10000)
            frz_buffer_printf(out, "_x%X", code);
        else
            frz_buffer_printf(out, "_x%X_x%X", 0xd800 + ((code - 0x10000) >> 10),
                              0xdc00 + ((code - 0x10000) & 0x3ff));
    }
}

void frz_avro_name_write(frz_json_writer *json, const char *name)
{
    frz_buffer safe = {0};
    frz_avro_name_print(name, &safe);
    if (safe.failed)
        json->out->failed = true;
    frz_json_key(json, "name");
    frz_json_string_slice(json, frz_buffer_slice(&safe));
    if (!frz_slice_is_text(frz_buffer_slice(&safe), name)) {
        frz_json_key(json, "iceberg-field-name");
        frz_json_string(json, name);
    }
    frz_buffer_clear(&safe);
}

static void write_pair(frz_json_writer *json, const char *key, const char *value)
{
    frz_json_key(json, key);
    frz_json_string(json, value);
}

static void write_id(frz_json_writer *json, const char *key, int32_t id)
{
    frz_json_key(json, key);
    frz_json_i64(json, id);
}

static void open_named(frz_json_writer *json, const char *type, const char *name)
{
    frz_json_open_object(json);
    write_pair(json, "type", type);
    write_pair(json, "name", name);
}

/* The least bytes that hold every number of the precision. */
static int32_t decimal_size(int32_t precision)
{
    uint8_t bytes[16];
    return (int32_t)frz_decimal_to_be(frz_decimal_power(precision) - 1, bytes);
}

/* Notes that the named type stands in the schema; true when it did before. */
static bool is_named_before(frz_avro_types *self, const frz_type *type)
{
    const size_t count = self->named.size / sizeof type;
    for (size_t i = 0; i < count; i++) {
        const frz_type *known = NULL;
        memcpy(&known, self->named.data + i * sizeof known, sizeof known);
        if (frz_type_equal(known, type))
            return true;
    }
    const frz_type *entry = type;
    frz_buffer_append(&self->named, &entry, sizeof entry);
    if (self->named.failed)
        self->json->out->failed = true;
    return false;
}

static void write_fixed(frz_avro_types *self, const frz_type *type)
{
    frz_json_writer *json = self->json;
    const bool decimal = type->kind == FRZ_TYPE_DECIMAL;
    char name[NAME_SIZE];
    if (decimal)
        (void)snprintf(name, sizeof name, "decimal_%d_%d", type->precision, type->scale);
    else if (type->kind == FRZ_TYPE_UUID)
        (void)snprintf(name, sizeof name, "uuid_fixed");
    else
        (void)snprintf(name, sizeof name, "fixed_%d", type->length);
    if (is_named_before(self, type)) {
        frz_json_string(json, name);
        return;
    }
    open_named(json, "fixed", name);
    write_id(json, "size",
             decimal                       ? decimal_size(type->precision)
             : type->kind == FRZ_TYPE_UUID ? 16
                                           : type->length);
    if (decimal) {
        write_pair(json, "logicalType", "decimal");
        write_id(json, "precision", type->precision);
        write_id(json, "scale", type->scale);
    } else if (type->kind == FRZ_TYPE_UUID) {
        write_pair(json, "logicalType", "uuid");
    }
    frz_json_close_object(json);
}

static void write_variant(frz_avro_types *self, int32_t id)
{
    static const char *const names[] = {"metadata", "value"};
    char name[NAME_SIZE];
    (void)snprintf(name, sizeof name, "r%d", id);
    open_named(self->json, "record", name);
    frz_json_key(self->json, "fields");
    frz_json_open_array(self->json);
    for (size_t i = 0; i < 2; i++) {
        frz_json_open_object(self->json);
        write_pair(self->json, "name", names[i]);
        write_pair(self->json, "type", "bytes");
        frz_json_close_object(self->json);
    }
    frz_json_close_array(self->json);
    write_pair(self->json, "logicalType", "variant");
    frz_json_close_object(self->json);
}

/* What has no parameters; the others are written by functions of their own. */
static const struct {
    const char *type;
    const char *logical; /* or NULL */
    const char *utc;     /* adjust-to-utc, of timestamps */
} plain_types[] = {
    [FRZ_TYPE_UNKNOWN] = {"null", NULL, NULL},
    [FRZ_TYPE_BOOLEAN] = {"boolean", NULL, NULL},
    [FRZ_TYPE_INT] = {"int", NULL, NULL},
    [FRZ_TYPE_LONG] = {"long", NULL, NULL},
    [FRZ_TYPE_FLOAT] = {"float", NULL, NULL},
    [FRZ_TYPE_DOUBLE] = {"double", NULL, NULL},
    [FRZ_TYPE_DATE] = {"int", "date", NULL},
    [FRZ_TYPE_TIME] = {"long", "time-micros", NULL},
    [FRZ_TYPE_TIMESTAMP] = {"long", "timestamp-micros", "false"},
    [FRZ_TYPE_TIMESTAMPTZ] = {"long", "timestamp-micros", "true"},
    [FRZ_TYPE_TIMESTAMP_NS] = {"long", "timestamp-nanos", "false"},
    [FRZ_TYPE_TIMESTAMPTZ_NS] = {"long", "timestamp-nanos", "true"},
    [FRZ_TYPE_STRING] = {"string", NULL, NULL},
    [FRZ_TYPE_BINARY] = {"bytes", NULL, NULL},
    [FRZ_TYPE_GEOMETRY] = {"bytes", NULL, NULL},
    [FRZ_TYPE_GEOGRAPHY] = {"bytes", NULL, NULL},
};

static void write_plain(frz_json_writer *json, frz_type_kind kind)
{
    if (!plain_types[kind].logical) {
        frz_json_string(json, plain_types[kind].type);
        return;
    }
    frz_json_open_object(json);
    write_pair(json, "type", plain_types[kind].type);
    write_pair(json, "logicalType", plain_types[kind].logical);
    if (plain_types[kind].utc) {
        frz_json_key(json, "adjust-to-utc");
        frz_json_bool(json, *plain_types[kind].utc == 't');
    }
    frz_json_close_object(json);
}

/* A default of bytes is text whose code points are the bytes (Avro "Complex Types", default). */
static void write_bytes(frz_json_writer *json, frz_slice bytes)
{
    frz_buffer text = {0};
    for (size_t i = 0; i < bytes.size; i++) {
        uint8_t character[4];
        frz_buffer_append(&text, character, frz_utf8_put(bytes.data[i], character));
    }
    if (text.failed)
        json->out->failed = true;
    frz_json_string_slice(json, frz_buffer_slice(&text));
    frz_buffer_clear(&text);
}

/* Whether JSON of Avro has the value: no NaN, no infinity, and nested ones are left out. */
static bool has_default(const frz_type *type, const frz_value *value)
{
    if (!value || value->form == FRZ_VALUE_NULL || !frz_type_is_primitive(type))
        return false;
    return value->form != FRZ_VALUE_NUMBER || isfinite(value->number);
}

static void write_default(frz_json_writer *json, const frz_type *type, const frz_value *value)
{
    uint8_t bytes[16];
    uint8_t padded[16];
    switch (value->form) {
    case FRZ_VALUE_BOOLEAN:
        frz_json_bool(json, value->boolean);
        return;
    case FRZ_VALUE_INTEGER:
        frz_json_i64(json, value->integer);
        return;
    case FRZ_VALUE_NUMBER:
        frz_json_f64(json, value->number);
        return;
    case FRZ_VALUE_DECIMAL: {
        const size_t size = (size_t)decimal_size(type->precision);
        const size_t have = frz_decimal_to_be(value->decimal, bytes);
        memset(padded, value->decimal < 0 ? 0xff : 0, sizeof padded);
        memcpy(padded + sizeof padded - have, bytes, have);
        write_bytes(json, frz_slice_of(padded + sizeof padded - size, size));
        return;
    }
    case FRZ_VALUE_BYTES:
        if (type->kind == FRZ_TYPE_STRING)
            frz_json_string_slice(json, value->bytes);
        else
            write_bytes(json, value->bytes);
        return;
    case FRZ_VALUE_NULL:
    case FRZ_VALUE_STRUCT:
    case FRZ_VALUE_LIST:
        break;
    }
    frz_json_null(json);
}

/* A default is of the union's first branch: null comes second where there is another one. */
static void write_optional(frz_avro_types *self, const frz_field *field, bool null_last)
{
    frz_json_writer *json = self->json;
    if (field->required || field->type->kind == FRZ_TYPE_UNKNOWN) {
        frz_avro_type_write(self, field->type, field->id);
        return;
    }
    frz_json_open_array(json);
    if (!null_last)
        frz_json_string(json, "null");
    frz_avro_type_write(self, field->type, field->id);
    if (null_last)
        frz_json_string(json, "null");
    frz_json_close_array(json);
}

static void write_field(frz_avro_types *self, const frz_field *field)
{
    frz_json_writer *json = self->json;
    const bool filled = has_default(field->type, field->initial_default);
    frz_json_open_object(json);
    frz_avro_name_write(json, field->name);
    frz_json_key(json, "type");
    write_optional(self, field, filled);
    if (field->doc)
        write_pair(json, "doc", field->doc);
    if (filled || !field->required)
        frz_json_key(json, "default");
    if (filled)
        write_default(json, field->type, field->initial_default);
    else if (!field->required)
        frz_json_null(json);
    write_id(json, "field-id", field->id);
    frz_json_close_object(json);
}

static void write_record(frz_avro_types *self, const frz_type *type, const char *name)
{
    open_named(self->json, "record", name);
    frz_json_key(self->json, "fields");
    frz_json_open_array(self->json);
    for (size_t i = 0; i < type->field_count; i++)
        write_field(self, &type->fields[i]);
    frz_json_close_array(self->json);
    frz_json_close_object(self->json);
}

static void write_list(frz_avro_types *self, const frz_type *type)
{
    frz_json_open_object(self->json);
    write_pair(self->json, "type", "array");
    frz_json_key(self->json, "items");
    write_optional(self, &type->fields[0], false);
    write_id(self->json, "element-id", type->fields[0].id);
    frz_json_close_object(self->json);
}

/* Keys that are text make an Avro map; others an array of key-value records. */
static void write_map(frz_avro_types *self, const frz_type *type)
{
    frz_json_writer *json = self->json;
    const frz_field *key = &type->fields[0];
    const frz_field *value = &type->fields[1];
    char name[NAME_SIZE];
    frz_json_open_object(json);
    if (key->type->kind == FRZ_TYPE_STRING) {
        write_pair(json, "type", "map");
        frz_json_key(json, "values");
        write_optional(self, value, false);
        write_id(json, "key-id", key->id);
        write_id(json, "value-id", value->id);
    } else {
        (void)snprintf(name, sizeof name, "k%d_v%d", key->id, value->id);
        write_pair(json, "type", "array");
        frz_json_key(json, "items");
        write_record(self, type, name);
        write_pair(json, "logicalType", "map");
    }
    frz_json_close_object(json);
}

void frz_avro_type_write(frz_avro_types *self, const frz_type *type, int32_t id)
{
    char name[NAME_SIZE];
    switch (type->kind) {
    case FRZ_TYPE_STRUCT:
        (void)snprintf(name, sizeof name, "r%d", id);
        write_record(self, type, name);
        return;
    case FRZ_TYPE_LIST:
        write_list(self, type);
        return;
    case FRZ_TYPE_MAP:
        write_map(self, type);
        return;
    case FRZ_TYPE_DECIMAL:
    case FRZ_TYPE_UUID:
    case FRZ_TYPE_FIXED:
        write_fixed(self, type);
        return;
    case FRZ_TYPE_VARIANT:
        write_variant(self, id);
        return;
    case FRZ_TYPE_UNKNOWN:
    case FRZ_TYPE_BOOLEAN:
    case FRZ_TYPE_INT:
    case FRZ_TYPE_LONG:
    case FRZ_TYPE_FLOAT:
    case FRZ_TYPE_DOUBLE:
    case FRZ_TYPE_DATE:
    case FRZ_TYPE_TIME:
    case FRZ_TYPE_TIMESTAMP:
    case FRZ_TYPE_TIMESTAMPTZ:
    case FRZ_TYPE_TIMESTAMP_NS:
    case FRZ_TYPE_TIMESTAMPTZ_NS:
    case FRZ_TYPE_STRING:
    case FRZ_TYPE_BINARY:
    case FRZ_TYPE_GEOMETRY:
    case FRZ_TYPE_GEOGRAPHY:
        write_plain(self->json, type->kind);
        return;
    }
}

void frz_avro_types_clear(frz_avro_types *self)
{
    frz_buffer_clear(&self->named);
}

frz_status frz_rows_avro_schema(const frz_type *root, const char *name, frz_buffer *out,
                                frz_error **err)
{
    frz_json_writer json = frz_json_writer_to(out, 0);
    frz_avro_types types = {.json = &json};
    write_record(&types, root, name);
    frz_avro_types_clear(&types);
    return frz_buffer_check(out, err);
}
