/*
 * Avro data and delete files made byte by byte, in a storage in memory, and a scan that knows no
 * more than where to read them.
 */
#ifndef FRZ_TEST_SCAN_AVRO_FIXTURE_H
#define FRZ_TEST_SCAN_AVRO_FIXTURE_H

#include "avro/fixture.h"

#include "arrow/array.h"
#include "io/file.h"
#include "scan/scan.h"
#include "spec/manifest.h"
#include "spec/table_fixture.h"

/* Row i: id = i, name = "n<i>" or null where i % 3 = 2, p = {x: 10 i, y: "y<i>"} or null where i %
 * 4 = 3. */
#define PEOPLE_JSON                                                                          \
    "{\"type\":\"record\",\"name\":\"r\",\"fields\":["                                       \
    "{\"name\":\"id\",\"type\":\"int\",\"field-id\":1},"                                     \
    "{\"name\":\"name\",\"type\":[\"string\",\"null\"],\"field-id\":2},"                     \
    "{\"name\":\"p\",\"field-id\":3,\"type\":[\"null\",{\"type\":\"record\",\"name\":\"p\"," \
    "\"fields\":[{\"name\":\"x\",\"type\":\"int\",\"field-id\":4},"                          \
    "{\"name\":\"y\",\"type\":\"string\",\"field-id\":5}]}]}]}"

static inline void put_person(frz_buffer *out, int64_t i)
{
    char text[32];
    put_long(out, i);
    put_long(out, i % 3 == 2);
    (void)snprintf(text, sizeof text, "n%lld", (long long)i);
    if (i % 3 != 2)
        put_text(out, text);
    put_long(out, i % 4 != 3);
    if (i % 4 == 3)
        return;
    put_long(out, 10 * i);
    text[0] = 'y';
    put_text(out, text);
}

/* Rows [0, rows) in blocks of `block_rows`. */
static inline void put_people(frz_buffer *file, int64_t rows, int64_t block_rows)
{
    put_header(file, PEOPLE_JSON, NULL);
    for (int64_t from = 0; from < rows; from += block_rows) {
        frz_buffer block = {0};
        const int64_t end = from + block_rows < rows ? from + block_rows : rows;
        for (int64_t i = from; i < end; i++)
            put_person(&block, i);
        put_block(file, end - from, block.data, block.size);
        frz_buffer_clear(&block);
    }
}

/* A storage that holds one file. */
typedef struct stored {
    frz_scan scan;
    frz_data_file entry;
} stored;

static inline stored store_avro(const frz_buffer *bytes)
{
    frz_error *err = NULL;
    stored self = {.scan = {.metadata = fixture_metadata(FIXTURE_V2),
                            .limits = frz_limits_default,
                            .limit = -1},
                   .entry = {.format = FRZ_FORMAT_AVRO,
                             .format_text = frz_slice_of_text("avro"),
                             .path = frz_slice_of_text("memory:/data.avro"),
                             .file_size = (int64_t)bytes->size,
                             .first_row_id = -1}};
    CHECK_OK(frz_io_memory_new(&self.scan.io, &err), err);
    CHECK_OK(frz_io_write_file(self.scan.io, "memory:/data.avro", frz_buffer_slice(bytes), &err),
             err);
    return self;
}

static inline void stored_close(stored *self)
{
    frz_io_free(self->scan.io);
    frz_metadata_unref(self->scan.metadata);
}

static inline frz_field field_of(int32_t id, const char *name, frz_type_kind kind)
{
    return (frz_field){.id = id, .name = name, .type = frz_type_of(kind)};
}

#endif
