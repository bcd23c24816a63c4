#include "spec/table_fixture.h"

#include "arrow/schema.h"
#include "spec/manifest_schema.h"

static const frz_field fields[] = {
    {.id = 1000, .name = "u", .type = &(const frz_type){.kind = FRZ_TYPE_UUID}},
    {.id = 1001, .name = "x", .type = &(const frz_type){.kind = FRZ_TYPE_UNKNOWN}}};
static const frz_type partition = {.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = 2};

static void columns_stand_where_the_avro_fields_stand(void **state)
{
    (void)state;
    for (int version = 1; version <= 3; version++) {
        struct ArrowSchema schema = {0};
        frz_error *err = NULL;
        CHECK_OK(frz_manifest_arrow_schema(version, &partition, &schema, &err), err);
        CHECK(schema.n_children == (version == 1 ? 3 : 5));
        const struct ArrowSchema *file = schema.children[schema.n_children - 1];
        CHECK(strcmp(file->name, "data_file") == 0);
        CHECK(file->n_children == (version == 1 ? 15 : version == 2 ? 17 : 20));
        const struct ArrowSchema *tuple = file->children[version == 1 ? 2 : 3];
        CHECK(strcmp(tuple->name, "partition") == 0 && tuple->n_children == 2);
        CHECK(strcmp(tuple->children[0]->format, "w:16") == 0);
        CHECK(strcmp(tuple->children[1]->format, "z") == 0);
        frz_arrow_schema_clear(&schema);
    }
}

static void lists_have_summaries(void **state)
{
    (void)state;
    struct ArrowSchema schema = {0};
    frz_error *err = NULL;
    CHECK_OK(frz_manifest_list_arrow_schema(3, &schema, &err), err);
    CHECK(schema.n_children == 16);
    CHECK(strcmp(schema.children[13]->format, "+l") == 0);
    CHECK(schema.children[13]->children[0]->n_children == 4);
    frz_arrow_schema_clear(&schema);
    CHECK_OK(frz_manifest_list_arrow_schema(1, &schema, &err), err);
    CHECK(schema.n_children == 12 && strcmp(schema.children[7]->name, "partitions") == 0);
    frz_arrow_schema_clear(&schema);
}

static void make_once(void)
{
    struct ArrowSchema schema = {0};
    frz_error *err = NULL;
    const frz_status status = frz_manifest_arrow_schema(3, &partition, &schema, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    CHECK((status == FRZ_OK) == (schema.release != NULL));
    frz_arrow_schema_clear(&schema);
    frz_error_free(err);
}

static void survives_short_memory(void **state)
{
    (void)state;
    sweep_allocation_failures(make_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_stand_where_the_avro_fields_stand),
        cmocka_unit_test(lists_have_summaries),
        cmocka_unit_test(survives_short_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
