/*
 * Inspecting any bytes: what comes out, of sound files and of broken ones, is one JSON value, or
 * text with no control characters but line ends.
 */
#include "frazil/text.h"

#include "base/arena.h"
#include "frazil/schema.h"
#include "json/reader.h"
#include "target.h"

static void check_json(const char *text)
{
    frz_arena arena = {0};
    frz_json_reader json = frz_json_reader_over(frz_slice_of_text(text), &arena);
    frz_json_kind kind = FRZ_JSON_NULL;
    FUZZ_CHECK(frz_json_peek(&json, &kind, NULL) == FRZ_OK && kind == FRZ_JSON_OBJECT);
    FUZZ_CHECK(frz_json_skip(&json, NULL) == FRZ_OK);
    frz_arena_clear(&arena);
}

static void check_lines(const char *text)
{
    for (; *text; text++)
        FUZZ_CHECK((uint8_t)*text >= 0x20 || *text == '\n');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int json = 0; json < 2; json++) {
        fuzz_storage storage = fuzz_storage_over(data, size);
        frz_error *err = NULL;
        char *text = NULL;
        const frz_status status = frz_inspect_file("f", &storage.io, json, &text, &err);
        FUZZ_CHECK(frz_error_status(err) == status && (status != FRZ_OK || text));
        if (text && json)
            check_json(text);
        else if (text)
            check_lines(text);
        frz_text_free(text);
        frz_error_free(err);
    }
    return 0;
}
