#include "arrow/type.h"

#include "harness.h"

static void test_every_format_parses_and_prints_back(void **state)
{
    (void)state;
    static const char *const formats[] = {
        "n",      "b",        "c",          "C",    "s",    "S",    "i",    "I",
        "l",      "L",        "e",          "f",    "g",    "u",    "U",    "vu",
        "z",      "Z",        "vz",         "tdD",  "tdm",  "tts",  "ttm",  "ttu",
        "ttn",    "tDs",      "tDm",        "tDu",  "tDn",  "+s",   "+l",   "+L",
        "+vl",    "+vL",      "+m",         "+r",   "w:0",  "w:16", "+w:3", "d:38,10",
        "d:9,-2", "d:5,2,32", "d:76,0,256", "tss:", "tsm:", "tsu:", "tsn:", "tsu:UTC"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        frz_error *err = NULL;
        frz_arrow_type type;
        char text[32];
        CHECK_OK(frz_arrow_type_parse(formats[i], &type, &err), err);
        frz_arrow_type_print(&type, text);
        CHECK(strcmp(text, formats[i]) == 0);
    }
}

static void test_parameters_are_taken_apart(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_arrow_type type;
    CHECK_OK(frz_arrow_type_parse("d:20,3", &type, &err), err);
    CHECK(type.kind == FRZ_ARROW_DECIMAL && type.precision == 20 && type.scale == 3);
    CHECK_OK(frz_arrow_type_parse("tsn:Europe/Berlin", &type, &err), err);
    CHECK(type.kind == FRZ_ARROW_TIMESTAMP && type.unit == 'n' && type.zoned);
    CHECK_OK(frz_arrow_type_parse("+us:0,1", &type, &err), err);
    CHECK(type.kind == FRZ_ARROW_UNION);
    CHECK_OK(frz_arrow_type_parse("tin", &type, &err), err);
    CHECK(type.kind == FRZ_ARROW_INTERVAL);
}

static void test_unknown_formats_are_refused_by_name(void **state)
{
    (void)state;
    static const char *const formats[] = {
        "",     "x",     "d:",  "d:5", "d:5,", "d:0,0", "d:77,0",        "d:5,2,16", "w:",
        "w:-1", "w:12x", "+w:", "ts",  "tss",  "tsx:",  "w:99999999999", "ii"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        frz_error *err = NULL;
        frz_arrow_type type;
        char wanted[64];
        (void)snprintf(wanted, sizeof wanted, "Arrow format \"%s\" is not known", formats[i]);
        CHECK_FAILS(frz_arrow_type_parse(formats[i], &type, &err), FRZ_UNSUPPORTED, err, wanted);
    }
}

static void test_widths(void **state)
{
    (void)state;
    CHECK(frz_arrow_type_width(&(frz_arrow_type){.kind = FRZ_ARROW_DATE32}) == 4);
    CHECK(frz_arrow_type_width(&(frz_arrow_type){.kind = FRZ_ARROW_DECIMAL}) == 16);
    CHECK(frz_arrow_type_width(&(frz_arrow_type){.kind = FRZ_ARROW_DECIMAL_OTHER, .width = 32}) ==
          4);
    CHECK(frz_arrow_type_width(&(frz_arrow_type){.kind = FRZ_ARROW_FIXED, .width = 7}) == 7);
    CHECK(frz_arrow_type_width(&(frz_arrow_type){.kind = FRZ_ARROW_BOOL}) == 0);
    CHECK(frz_arrow_type_width(&(frz_arrow_type){.kind = FRZ_ARROW_RUN_END}) == 0);
    CHECK(strcmp(frz_arrow_kind_name(FRZ_ARROW_RUN_END), "run_end_encoded") == 0);
}

/* Columnar.rst, "Buffer Listing for Each Layout". */
static void test_layouts(void **state)
{
    (void)state;
    static const struct {
        frz_arrow_kind kind;
        frz_arrow_layout layout;
    } cases[] = {
        {FRZ_ARROW_NULL, {FRZ_ARROW_FORM_NULL, 0, 0, 0}},
        {FRZ_ARROW_BOOL, {FRZ_ARROW_FORM_BITS, 2, 0, 0}},
        {FRZ_ARROW_INT8, {FRZ_ARROW_FORM_FIXED, 2, 0, 0}},
        {FRZ_ARROW_TIMESTAMP, {FRZ_ARROW_FORM_FIXED, 2, 0, 0}},
        {FRZ_ARROW_LARGE_STRING, {FRZ_ARROW_FORM_BYTES, 3, 0, 8}},
        {FRZ_ARROW_BINARY_VIEW, {FRZ_ARROW_FORM_VIEWS, 3, 0, 0}},
        {FRZ_ARROW_MAP, {FRZ_ARROW_FORM_LIST, 2, 1, 4}},
        {FRZ_ARROW_STRUCT, {FRZ_ARROW_FORM_PARALLEL, 1, -1, 0}},
        {FRZ_ARROW_RUN_END, {FRZ_ARROW_FORM_RUNS, 0, 2, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const frz_arrow_layout *layout = frz_arrow_layout_of(cases[i].kind);
        CHECK(layout->form == cases[i].layout.form && layout->buffers == cases[i].layout.buffers);
        CHECK(layout->children == cases[i].layout.children);
        CHECK(layout->offset_width == cases[i].layout.offset_width);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_format_parses_and_prints_back),
        cmocka_unit_test(test_parameters_are_taken_apart),
        cmocka_unit_test(test_unknown_formats_are_refused_by_name),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_layouts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
