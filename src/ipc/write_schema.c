#include "ipc/write_schema.h"

#include "arrow/schema.h"
#include "base/fail.h"
#include "ipc/format.h"
#include "ipc/type.h"

enum { REFERENCE = 4 }; /* bytes of one */

static void write_metadata(const struct ArrowSchema *schema, frz_flat_builder *builder,
                           size_t table, unsigned field)
{
    static const uint8_t widths[] = {REFERENCE, REFERENCE};
    const size_t count = frz_arrow_schema_metadata_count(schema);
    const size_t items = frz_flat_add_items(builder, table, field, count, REFERENCE);
    frz_arrow_metadata_pair pair = frz_arrow_schema_metadata_start(schema);
    for (size_t i = 0; i < count; i++) {
        frz_arrow_schema_metadata_next(&pair);
        const size_t place = frz_flat_add_table(builder, widths, 2);
        frz_flat_set_item_child(builder, items, i, place);
        frz_flat_add_text(builder, place, FRZ_IPC_PAIR_KEY, pair.key);
        frz_flat_add_text(builder, place, FRZ_IPC_PAIR_VALUE, pair.value);
    }
}

static uint8_t reference_if(bool there)
{
    return there ? REFERENCE : 0;
}

/* The children of `schema` as the vector of Fields of `table`. */
static frz_status write_fields(const struct ArrowSchema *schema, frz_flat_builder *builder,
                               size_t table, unsigned field, frz_error **err)
{
    const size_t count = (size_t)schema->n_children;
    const size_t items = frz_flat_add_items(builder, table, field, count, REFERENCE);
    for (size_t i = 0; i < count; i++) {
        const struct ArrowSchema *child = schema->children[i];
        const bool has_metadata = frz_arrow_schema_metadata_count(child) > 0;
        /* Readers want the vector of children also where there are none. */
        const uint8_t widths[] = {
            REFERENCE, 1, 1, REFERENCE, 0, REFERENCE, reference_if(has_metadata)};
        const size_t place = frz_flat_add_table(builder, widths, sizeof widths);
        frz_flat_set_item_child(builder, items, i, place);
        frz_flat_add_text(builder, place, FRZ_IPC_FIELD_NAME,
                          frz_slice_of_text(frz_arrow_schema_name(child)));
        frz_flat_set_u8(builder, place, FRZ_IPC_FIELD_NULLABLE,
                        (child->flags & ARROW_FLAG_NULLABLE) != 0);
        FRZ_TRY(frz_ipc_type_write(child, builder, place, err));
        FRZ_TRY(write_fields(child, builder, place, FRZ_IPC_FIELD_CHILDREN, err));
        if (has_metadata)
            write_metadata(child, builder, place, FRZ_IPC_FIELD_METADATA);
    }
    return FRZ_OK;
}

frz_status frz_ipc_schema_write(const struct ArrowSchema *schema, frz_flat_builder *builder,
                                size_t parent, unsigned field, frz_error **err)
{
    const bool has_metadata = frz_arrow_schema_metadata_count(schema) > 0;
    const uint8_t widths[] = {2, REFERENCE, reference_if(has_metadata)};
    const size_t table = frz_flat_add_table(builder, widths, sizeof widths);
    frz_flat_set_child(builder, parent, field, table);
    frz_flat_set_i16(builder, table, FRZ_IPC_SCHEMA_ENDIANNESS, FRZ_IPC_ENDIAN_LITTLE);
    FRZ_TRY(write_fields(schema, builder, table, FRZ_IPC_SCHEMA_FIELDS, err));
    if (has_metadata)
        write_metadata(schema, builder, table, FRZ_IPC_SCHEMA_METADATA);
    return frz_buffer_check(&builder->bytes, err);
}
