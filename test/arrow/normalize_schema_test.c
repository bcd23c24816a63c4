/* frz_arrow_normalize_schema: which plain type each foreign one becomes. */
#include "arrow/normalize.h"

#include "arrow_equal.h"

static void test_each_type_has_its_plain_one(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"c", "i"},
        {"C", "i"},
        {"s", "i"},
        {"S", "i"},
        {"I", "l"},
        {"L", "l"},
        {"e", "f"},
        {"d:5,2,32", "d:5,2"},
        {"d:38,1,256", "d:38,1"},
        {"U", "u"},
        {"vu", "u"},
        {"Z", "z"},
        {"vz", "z"},
        {"tdm", "tdD"},
        {"tts", "ttu"},
        {"ttn", "ttu"},
        {"tss:", "tsu:"},
        {"tsm:x", "tsu:UTC"},
        {"tsn:", "tsn:"},
        {"+L[i]", "+l"},
        {"+w:2[i]", "+l"},
        {"+vl[i]", "+l"},
        {"+vL[i]", "+l"},
        {"+r[i! U]", "u"},
        {"n", "n"},
        {"b", "b"},
        {"w:16", "w:16"},
        {"+m[+s![u! l]]", "+m"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        frz_error *err = NULL;
        struct ArrowSchema schema = parse_schema(pairs[i][0]);
        struct ArrowSchema plain;
        CHECK_OK(frz_arrow_normalize_schema(&schema, &plain, &err), err);
        if (strcmp(plain.format, pairs[i][1]) != 0)
            fail_msg("%s became %s", pairs[i][0], plain.format);
        CHECK(frz_arrow_schema_field_id(&plain) == 0 && plain.flags == schema.flags);
        frz_arrow_schema_clear(&plain);
        frz_arrow_schema_clear(&schema);
    }
}

static void test_nested_fields_keep_names_and_ids(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowSchema schema = parse_schema("+s![+L[U!] c]");
    struct ArrowSchema plain;
    CHECK_OK(frz_arrow_normalize_schema(&schema, &plain, &err), err);
    const struct ArrowSchema *item = plain.children[0]->children[0];
    CHECK(strcmp(item->format, "u") == 0 && frz_arrow_schema_field_id(item) == 2);
    CHECK(item->flags == 0 && strcmp(plain.children[1]->name, "c1") == 0);
    frz_arrow_schema_clear(&plain);
    frz_arrow_schema_clear(&schema);
}

static void test_what_iceberg_lacks_is_refused_by_name(void **state)
{
    (void)state;
    static const char *const formats[][2] = {
        {"+s![tDs]", "column \"c0\": Arrow type duration (tDs) has no Iceberg type"},
        {"+s![i tin]", "column \"c1\": Arrow type interval (tin) has no Iceberg type"},
        {"+l[+us:]", "Arrow type union"},
        {"d:39,0,256", "(d:39,0,256) has no Iceberg type"}};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        frz_error *err = NULL;
        struct ArrowSchema schema = parse_schema(formats[i][0]);
        struct ArrowSchema plain;
        CHECK_FAILS(frz_arrow_normalize_schema(&schema, &plain, &err), FRZ_UNSUPPORTED, err,
                    formats[i][1]);
        frz_arrow_schema_clear(&schema);
    }
}

static void normalize_once(void)
{
    frz_error *err = NULL;
    struct ArrowSchema schema = {0};
    struct ArrowSchema plain = {0};
    frz_status status = frz_arrow_schema_init(&schema, "+L", "l", true, 1, 1, &err);
    if (status == FRZ_OK)
        status = frz_arrow_schema_init(schema.children[0], "U", "e", true, 2, 0, &err);
    if (status == FRZ_OK)
        status = frz_arrow_normalize_schema(&schema, &plain, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_arrow_schema_clear(&schema);
    frz_arrow_schema_clear(&plain);
    frz_error_free(err);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    sweep_allocation_failures(normalize_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_type_has_its_plain_one),
        cmocka_unit_test(test_nested_fields_keep_names_and_ids),
        cmocka_unit_test(test_what_iceberg_lacks_is_refused_by_name),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
