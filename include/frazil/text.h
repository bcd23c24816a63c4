/*
 * Rows as text and files: CSV, JSON lines, Parquet, Avro and Arrow IPC into Arrow streams, and
 * Arrow streams into tables for people, JSON, JSON lines, CSV, Parquet and Arrow IPC.
 *
 * Thread rule: one thread at a time for each stream.
 */
#ifndef FRZ_TEXT_H
#define FRZ_TEXT_H

#include <stddef.h>

#include "frazil/arrow.h"
#include "frazil/error.h"
#include "frazil/io.h"
#include "frazil/options.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum frz_row_format {
    FRZ_ROW_FORMAT_GUESS, /* by the file's extension, else by its first bytes */
    FRZ_ROW_FORMAT_PARQUET,
    FRZ_ROW_FORMAT_CSV,
    FRZ_ROW_FORMAT_JSONL,
    FRZ_ROW_FORMAT_JSON,  /* output only: one array */
    FRZ_ROW_FORMAT_TABLE, /* output only: for people */
    FRZ_ROW_FORMAT_AVRO,  /* input only: an object container file */
    FRZ_ROW_FORMAT_ARROW  /* Arrow IPC: a stream or a file */
} frz_row_format;

/*
 * Opens one file as a stream of batches. `schema` (borrowed) tells the types that CSV and JSON
 * lines are read as; it may be NULL for Parquet, Avro and Arrow IPC. Every error names file, line
 * and column. `io` NULL = local files.
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_rows_open(const char *location, frz_row_format format,
                                                const struct ArrowSchema *schema, frz_io *io,
                                                struct ArrowArrayStream *out, frz_error **err);

/* How a CSV file is written where it is not by RFC 4180. All zero = that, with a header. Stands
 * within frz_rows_options, so it does not grow. */
typedef struct frz_csv_options {
    char delimiter;                /* 0 = , */
    char quote;                    /* 0 = " */
    bool no_header;                /* columns go by their place */
    const char *const *null_texts; /* unquoted fields that are null; none = the empty one */
    size_t null_text_count;
    const char *date_format;      /* as of strptime: %Y %y %m %b %B %d; NULL = YYYY-MM-DD */
    const char *timestamp_format; /* also %H %I %p %M %S %f %z %F %T; NULL = ISO 8601 */
} frz_csv_options;

/* How a file is read. All zero = as frz_rows_open reads it. */
typedef struct frz_rows_options {
    size_t struct_size;
    frz_row_format format;
    const struct ArrowSchema *schema; /* as of frz_rows_open; borrowed */
    bool present_only; /* JSON lines: without the columns, and members of structs, that no line has;
                          the file is read twice. CSV has what its header names anyway */
    bool case_insensitive; /* names of columns in CSV and JSON lines match those of `schema`
                              whatever their case */
    bool infer; /* CSV and JSON lines: columns that `schema` (then may be NULL) lacks are no error:
                   their types are told by their values, for which the file is read twice */
    int64_t sample_rows; /* `infer`: of that many rows; 0 = of all */
    frz_csv_options csv;
} frz_rows_options;
#define FRZ_ROWS_OPTIONS_INIT FRZ_OPTIONS_INIT(frz_rows_options)

/* Statuses as of frz_rows_open. `options` NULL = all defaults, `io` NULL = local files. */
FRZ_API FRZ_MUST_CHECK frz_status frz_rows_open_with(const char *location,
                                                     const frz_rows_options *options, frz_io *io,
                                                     struct ArrowArrayStream *out, frz_error **err);

/* Several streams of one schema, one after the other. Takes them, also on failure. */
FRZ_API FRZ_MUST_CHECK frz_status frz_rows_concat(struct ArrowArrayStream *streams, size_t count,
                                                  struct ArrowArrayStream *out, frz_error **err);

/* At most `limit` rows of a stream, which is replaced in place (and released on failure). */
FRZ_API FRZ_MUST_CHECK frz_status frz_rows_limit(struct ArrowArrayStream *rows, int64_t limit,
                                                 frz_error **err);

/* Called before each batch with the rows that have passed; any status but FRZ_OK ends the stream.
 */
typedef frz_status (*frz_rows_watcher)(void *context, int64_t rows, frz_error **err);

/* For progress and cancelling. `rows` is replaced in place (and released on failure). */
FRZ_API FRZ_MUST_CHECK frz_status frz_rows_watch(struct ArrowArrayStream *rows,
                                                 frz_rows_watcher watch, void *context,
                                                 frz_error **err);

typedef struct frz_print_options {
    size_t struct_size;
    frz_row_format format;
    bool ids_as_strings; /* 64-bit integers as JSON strings */
    bool color;          /* TABLE only */
    int width;           /* TABLE only: columns of the terminal; 0 = no limit */
} frz_print_options;
#define FRZ_PRINT_OPTIONS_INIT FRZ_OPTIONS_INIT(frz_print_options)

/* Where text goes; anything but FRZ_OK stops the printing. */
typedef frz_status (*frz_print_write)(void *context, const void *bytes, size_t size,
                                      frz_error **err);

/*
 * Prints a whole stream (released in every case). Not for PARQUET and AVRO. *rows_out may be NULL.
 * ARROW is an IPC stream; on failure it ends within a message, so that no reader takes what has
 * been written for the whole.
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_rows_print(struct ArrowArrayStream *rows,
                                                 const frz_print_options *options,
                                                 frz_print_write write, void *context,
                                                 int64_t *rows_out, frz_error **err);

/* Writes a whole stream (released in every case) to a file of any output format. ARROW is an IPC
 * stream where the name ends in .arrows, else an IPC file. */
FRZ_API FRZ_MUST_CHECK frz_status frz_rows_write_file(struct ArrowArrayStream *rows,
                                                      const char *location,
                                                      const frz_print_options *options, frz_io *io,
                                                      int64_t *rows_out, frz_error **err);

/* `frazil inspect`: the structure of a metadata.json, Avro, Parquet or Puffin file as text or JSON.
 * With FRZ_CORRUPT and FRZ_UNSUPPORTED, *out is what was sound before the fault (JSON has the fault
 * as its member "error"), to be freed too; untouched when the file is of no such kind. */
FRZ_API FRZ_MUST_CHECK frz_status frz_inspect_file(const char *location, frz_io *io, bool json,
                                                   char **out, frz_error **err);

/* Its rows (Avro, Parquet; of Puffin its blobs; of metadata.json its snapshots). */
FRZ_API FRZ_MUST_CHECK frz_status frz_inspect_rows(const char *location, frz_io *io,
                                                   struct ArrowArrayStream *out, frz_error **err);

#ifdef __cplusplus
}
#endif

#endif
