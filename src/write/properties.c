#include "write/properties.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/number.h"
#include "catalog/catalog.h"
#include "catalog/refused_properties.h"

enum { KEY_SIZE_MAX = 128 };

static const char data_prefix[] = "write.parquet.";
static const char delete_prefix[] = "write.delete.parquet.";

typedef struct property_source {
    const frz_metadata *metadata;
    bool deletes; /* write.delete.parquet.* with write.parquet.* behind it */
} property_source;

static const char *find_parquet(const property_source *source, const char *name,
                                char key[KEY_SIZE_MAX])
{
    if (source->deletes) {
        (void)snprintf(key, KEY_SIZE_MAX, "%s%s", delete_prefix, name);
        const char *value = frz_metadata_property(source->metadata, key);
        if (value)
            return value;
    }
    (void)snprintf(key, KEY_SIZE_MAX, "%s%s", data_prefix, name);
    return frz_metadata_property(source->metadata, key);
}

/* A positive size or count up to `max`; 0 when the property is absent. */
static frz_status read_positive(const property_source *source, const char *name, int64_t max,
                                int64_t *out, frz_error **err)
{
    char key[KEY_SIZE_MAX];
    const char *value = find_parquet(source, name, key);
    int64_t number = 0;
    if (value &&
        (!frz_number_parse_i64(value, strlen(value), &number) || number <= 0 || number > max))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "table property %s: expected an integer from 1 to %lld, got \"%s\"", key,
                        (long long)max, value);
    *out = number;
    return FRZ_OK;
}

static frz_status read_codec(const property_source *source, frz_parquet_writer_options *out,
                             frz_error **err)
{
    static const struct {
        const char *name;
        frz_codec codec;
    } codecs[] = {{"zstd", FRZ_CODEC_ZSTD},   {"snappy", FRZ_CODEC_SNAPPY},
                  {"gzip", FRZ_CODEC_GZIP},   {"brotli", FRZ_CODEC_BROTLI},
                  {"lz4", FRZ_CODEC_LZ4_RAW}, {"lz4_raw", FRZ_CODEC_LZ4_RAW},
                  {"none", FRZ_CODEC_NONE},   {"uncompressed", FRZ_CODEC_NONE}};
    char key[KEY_SIZE_MAX];
    const char *value = find_parquet(source, "compression-codec", key);
    int64_t level = 0;
    out->codec = FRZ_CODEC_ZSTD;
    out->codec_level = FRZ_CODEC_LEVEL_DEFAULT;
    bool known = !value;
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs && !known; i++) {
        if (strcasecmp(value, codecs[i].name) == 0) {
            out->codec = codecs[i].codec;
            known = true;
        }
    }
    if (!known)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "table property %s: expected zstd, snappy, gzip, brotli, lz4 or "
                        "uncompressed, got \"%s\"",
                        key, value);
    value = find_parquet(source, "compression-level", key);
    if (value &&
        (!frz_number_parse_i64(value, strlen(value), &level) || level < -131072 || level > 22))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "table property %s: expected a compression level, got \"%s\"", key, value);
    if (value)
        out->codec_level = (int32_t)level;
    return FRZ_OK;
}

static frz_status read_page_version(const property_source *source, frz_parquet_writer_options *out,
                                    frz_error **err)
{
    char key[KEY_SIZE_MAX];
    const char *value = find_parquet(source, "page-version", key);
    if (value && strcasecmp(value, "v1") != 0 && strcasecmp(value, "v2") != 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "table property %s: expected v1 or v2, got \"%s\"", key, value);
    out->data_page_v2 = value && strcasecmp(value, "v2") == 0;
    return FRZ_OK;
}

/* How many rows come between two looks at the size of a row group. */
static frz_status read_group_checks(const property_source *source, frz_parquet_writer_options *out,
                                    frz_error **err)
{
    char key[KEY_SIZE_MAX];
    int64_t least = 0;
    int64_t most = 0;
    FRZ_TRY(read_positive(source, "row-group-check-min-record-count", INT32_MAX, &least, err));
    FRZ_TRY(read_positive(source, "row-group-check-max-record-count", INT32_MAX, &most, err));
    if (least > 0 && most > 0 && least > most) {
        (void)find_parquet(source, "row-group-check-min-record-count", key);
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "table property %s: %lld is more than the greatest number, %lld", key,
                        (long long)least, (long long)most);
    }
    out->check_rows_min = (int32_t)least;
    out->check_rows_max = (int32_t)most;
    return FRZ_OK;
}

static frz_status read_parquet(const property_source *source, frz_parquet_writer_options *out,
                               frz_error **err)
{
    int64_t group_size = 0;
    int64_t page_size = 0;
    int64_t page_rows = 0;
    int64_t dictionary_size = 0;
    frz_parquet_writer_options options = {.struct_size = sizeof options};
    FRZ_TRY(read_codec(source, &options, err));
    FRZ_TRY(read_page_version(source, &options, err));
    FRZ_TRY(read_positive(source, "row-group-size-bytes", INT64_C(1) << 40, &group_size, err));
    FRZ_TRY(read_positive(source, "row-group-limit", INT64_MAX, &options.row_group_rows, err));
    FRZ_TRY(read_positive(source, "page-size-bytes", INT64_C(1) << 30, &page_size, err));
    FRZ_TRY(read_positive(source, "page-row-limit", INT32_MAX, &page_rows, err));
    FRZ_TRY(read_positive(source, "dict-size-bytes", INT64_C(1) << 30, &dictionary_size, err));
    FRZ_TRY(read_group_checks(source, &options, err));
    FRZ_TRY(frz_metadata_property_bool(source->metadata,
                                       "write.parquet.row-group-size-track-uncompressed", false,
                                       &options.row_group_size_raw, err));
    options.row_group_size = (uint64_t)group_size;
    options.page_size = (uint32_t)page_size;
    options.page_rows = (int32_t)page_rows;
    options.dictionary_size = (uint32_t)dictionary_size;
    *out = options;
    return FRZ_OK;
}

/* The column that a key with `prefix` is about; NULL for other keys. */
static const char *column_of(const char *key, const char *prefix)
{
    const size_t size = strlen(prefix);
    return strncmp(key, prefix, size) == 0 ? key + size : NULL;
}

typedef enum column_property {
    COLUMN_STATISTICS,
    COLUMN_DICTIONARY,
    COLUMN_BLOOM,
    COLUMN_BLOOM_FPP,
    COLUMN_BLOOM_NDV
} column_property;

static const struct {
    const char *prefix;
    column_property property;
} column_properties[] = {
    {"write.parquet.stats-enabled.column.", COLUMN_STATISTICS},
    {"write.parquet.dict-encoding-enabled.column.", COLUMN_DICTIONARY},
    {"write.parquet.bloom-filter-enabled.column.", COLUMN_BLOOM},
    {"write.parquet.bloom-filter-fpp.column.", COLUMN_BLOOM_FPP},
    {"write.parquet.bloom-filter-ndv.column.", COLUMN_BLOOM_NDV},
};

static frz_status parse_flag(const frz_property *property, bool *out, frz_error **err)
{
    *out = strcasecmp(property->value, "true") == 0;
    if (!*out && strcasecmp(property->value, "false") != 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "table property %s: expected true or false, got \"%s\"", property->key,
                        property->value);
    return FRZ_OK;
}

static frz_status parse_fpp(const frz_property *property, double *out, frz_error **err)
{
    if (!frz_number_parse_f64(property->value, strlen(property->value), out) || !(*out > 0) ||
        !(*out < 1))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "table property %s: expected a share between 0 and 1, got \"%s\"",
                        property->key, property->value);
    return FRZ_OK;
}

static frz_status parse_ndv(const frz_property *property, int64_t *out, frz_error **err)
{
    if (!frz_number_parse_i64(property->value, strlen(property->value), out) || *out <= 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "table property %s: expected a positive number, got \"%s\"", property->key,
                        property->value);
    return FRZ_OK;
}

static frz_status set_column(frz_parquet_column_options *column, column_property kind,
                             const frz_property *property, frz_error **err)
{
    bool on = false;
    switch (kind) {
    case COLUMN_STATISTICS:
        FRZ_TRY(parse_flag(property, &on, err));
        column->statistics_off = !on;
        break;
    case COLUMN_DICTIONARY:
        FRZ_TRY(parse_flag(property, &on, err));
        column->dictionary_off = !on;
        break;
    case COLUMN_BLOOM:
        return parse_flag(property, &column->bloom, err);
    case COLUMN_BLOOM_FPP:
        return parse_fpp(property, &column->bloom_fpp, err);
    case COLUMN_BLOOM_NDV:
        return parse_ndv(property, &column->bloom_ndv, err);
    }
    return FRZ_OK;
}

static frz_parquet_column_options *find_column(frz_parquet_column_options *columns, size_t *count,
                                               const char *path)
{
    size_t at = 0;
    while (at < *count && strcmp(columns[at].path, path) != 0)
        at++;
    if (at == *count)
        columns[(*count)++].path = path;
    return &columns[at];
}

/* Properties of columns that the table does not have ask for nothing, as in Java. */
static frz_status read_columns(const frz_metadata *metadata, frz_arena *arena,
                               frz_parquet_writer_options *out, frz_error **err)
{
    frz_parquet_column_options *columns =
        frz_arena_array(arena, metadata->property_count, sizeof *columns);
    size_t count = 0;
    if (!columns)
        return frz_fail_memory(err);
    for (size_t i = 0; i < metadata->property_count; i++) {
        const frz_property *property = &metadata->properties[i];
        for (size_t k = 0; k < sizeof column_properties / sizeof *column_properties; k++) {
            const char *path = column_of(property->key, column_properties[k].prefix);
            if (path)
                FRZ_TRY(set_column(find_column(columns, &count, path),
                                   column_properties[k].property, property, err));
        }
    }
    out->columns = columns;
    out->column_count = count;
    return FRZ_OK;
}

/* The bits always follow the number of distinct values, which is what adaptive sizing asks for. */
static frz_status read_blooms(const frz_metadata *metadata, frz_parquet_writer_options *out,
                              frz_error **err)
{
    const property_source source = {metadata, false};
    int64_t size = 0;
    bool adaptive = false;
    FRZ_TRY(read_positive(&source, "bloom-filter-max-bytes", INT32_MAX, &size, err));
    FRZ_TRY(frz_metadata_property_bool(metadata, "write.parquet.bloom-filter-adaptive-enabled",
                                       false, &adaptive, err));
    out->bloom_size_max = (uint32_t)size;
    return FRZ_OK;
}

static frz_status read_size(const frz_metadata *metadata, const char *key, int64_t absent,
                            uint64_t *out, frz_error **err)
{
    int64_t size = 0;
    FRZ_TRY(frz_metadata_property_i64(metadata, key, absent, &size, err));
    if (size <= 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "table property %s: expected a positive size, got %lld", key,
                        (long long)size);
    *out = (uint64_t)size;
    return FRZ_OK;
}

/* File by file unless partition is asked for, as Spark's writers have it since Iceberg 1.8. */
static frz_status read_granularity(const frz_metadata *metadata, bool *by_partition,
                                   frz_error **err)
{
    static const char key[] = "write.delete.granularity";
    const char *value = frz_metadata_property(metadata, key);
    *by_partition = value && strcasecmp(value, "partition") == 0;
    if (value && !*by_partition && strcasecmp(value, "file") != 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "table property %s: expected file or partition, got \"%s\"", key, value);
    return FRZ_OK;
}

frz_status frz_write_properties_read(const frz_metadata *metadata, frz_arena *arena,
                                     frz_write_properties *out, frz_error **err)
{
    frz_write_properties made = {0};
    const property_source data = {metadata, false};
    const property_source deletes = {metadata, true};

    FRZ_TRY(frz_metadata_check_refused(metadata, err));
    FRZ_TRY(frz_format_properties_read(metadata, &made.formats, err));
    FRZ_TRY(read_size(metadata, "write.target-file-size-bytes", INT64_C(512) << 20,
                      &made.target_file_size, err));
    FRZ_TRY(read_size(metadata, "write.delete.target-file-size-bytes", INT64_C(64) << 20,
                      &made.delete_target_file_size, err));
    FRZ_TRY(read_parquet(&data, &made.parquet, err));
    FRZ_TRY(read_columns(metadata, arena, &made.parquet, err));
    FRZ_TRY(read_blooms(metadata, &made.parquet, err));
    FRZ_TRY(read_granularity(metadata, &made.deletes_by_partition, err));
    FRZ_TRY(read_parquet(&deletes, &made.delete_parquet, err));
    FRZ_TRY(frz_metadata_property_i64(metadata, "write.summary.partition-limit", 0,
                                      &made.summary_partition_limit, err));
    *out = made;
    return FRZ_OK;
}

frz_file_options frz_data_file_options(const frz_write_properties *properties)
{
    return (frz_file_options){properties->formats.data, &properties->parquet,
                              &properties->formats.avro};
}

frz_file_options frz_delete_file_options(const frz_write_properties *properties)
{
    return (frz_file_options){properties->formats.deletes, &properties->delete_parquet,
                              &properties->formats.delete_avro};
}

frz_status frz_commit_properties_read(const frz_metadata *metadata, frz_commit_properties *out,
                                      frz_error **err)
{
    const struct {
        const char *key;
        int64_t absent;
        int64_t *to;
    } numbers[] = {
        {"commit.retry.num-retries", 4, &out->retries},
        {"commit.retry.min-wait-ms", 100, &out->min_wait_ms},
        {"commit.retry.max-wait-ms", 60000, &out->max_wait_ms},
        {"commit.retry.total-timeout-ms", 1800000, &out->total_timeout_ms},
        {"commit.manifest.target-size-bytes", 8388608, &out->manifest_target_size},
        {"commit.manifest.min-count-to-merge", 100, &out->manifest_min_count},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        FRZ_TRY(frz_metadata_property_i64(metadata, numbers[i].key, numbers[i].absent,
                                          numbers[i].to, err));
        if (*numbers[i].to < 0)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "table property %s: expected no negative number, got %lld",
                            numbers[i].key, (long long)*numbers[i].to);
    }
    return frz_metadata_property_bool(metadata, "commit.manifest-merge.enabled", true,
                                      &out->merge_manifests, err);
}
