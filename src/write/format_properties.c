#include "write/format_properties.h"

#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/number.h"
#include "catalog/catalog.h"

enum { GZIP_LEVEL_DEFAULT = 9, GZIP_LEVEL_MAX = 9, ZSTD_LEVEL_DEFAULT = 1, ZSTD_LEVEL_MAX = 22 };

static const char data_codec[] = "write.avro.compression-codec";
static const char data_level[] = "write.avro.compression-level";
static const char delete_codec[] = "write.delete.avro.compression-codec";
static const char delete_level[] = "write.delete.avro.compression-level";

static frz_status read_format(const frz_metadata *metadata, const char *key, frz_file_format absent,
                              frz_file_format *out, frz_error **err)
{
    const char *format = frz_metadata_property(metadata, key);
    *out = absent;
    if (!format)
        return FRZ_OK;
    if (strcasecmp(format, "orc") == 0)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "table property %s=%s: ORC files are not written, parquet and avro are",
                        key, format);
    if (strcasecmp(format, "parquet") != 0 && strcasecmp(format, "avro") != 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "table property %s: expected parquet or avro, got \"%s\"", key, format);
    *out = strcasecmp(format, "avro") == 0 ? FRZ_FORMAT_AVRO : FRZ_FORMAT_PARQUET;
    return FRZ_OK;
}

static frz_status parse_codec(const char *key, const char *value, frz_codec *out, frz_error **err)
{
    static const struct {
        const char *name;
        frz_codec codec;
    } codecs[] = {{"gzip", FRZ_CODEC_DEFLATE},
                  {"zstd", FRZ_CODEC_ZSTD},
                  {"snappy", FRZ_CODEC_SNAPPY},
                  {"uncompressed", FRZ_CODEC_NONE}};
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        if (strcasecmp(value, codecs[i].name) == 0) {
            *out = codecs[i].codec;
            return FRZ_OK;
        }
    }
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                    "table property %s: expected gzip, zstd, snappy or uncompressed, got \"%s\"",
                    key, value);
}

/* Java's defaults: gzip at 9, zstd at 1; the others have no level. -1 is the codec's own. */
static frz_status read_level(const char *key, const char *value, frz_avro_writer_options *out,
                             frz_error **err)
{
    int64_t level = out->codec == FRZ_CODEC_DEFLATE ? GZIP_LEVEL_DEFAULT : ZSTD_LEVEL_DEFAULT;
    const int64_t most = out->codec == FRZ_CODEC_DEFLATE ? GZIP_LEVEL_MAX : ZSTD_LEVEL_MAX;
    if (out->codec != FRZ_CODEC_DEFLATE && out->codec != FRZ_CODEC_ZSTD)
        return FRZ_OK;
    if (value &&
        (!frz_number_parse_i64(value, strlen(value), &level) || level < -1 || level > most))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "table property %s: expected a level from -1 to %lld, got \"%s\"", key,
                        (long long)most, value);
    if (level == 0 && out->codec == FRZ_CODEC_DEFLATE)
        out->codec = FRZ_CODEC_NONE; /* level 0 of gzip stores bytes as they are */
    out->codec_level = level < 0 ? 0 : (int32_t)level;
    return FRZ_OK;
}

/* A codec of deletes' own does not take the level of data files, which may be another codec's. */
static frz_status read_deletes(const frz_metadata *metadata, const frz_avro_writer_options *data,
                               frz_avro_writer_options *out, frz_error **err)
{
    const char *codec = frz_metadata_property(metadata, delete_codec);
    const char *level = frz_metadata_property(metadata, delete_level);
    *out = *data;
    if (codec) {
        out->codec_level = 0;
        FRZ_TRY(parse_codec(delete_codec, codec, &out->codec, err));
    }
    return codec || level ? read_level(delete_level, level, out, err) : FRZ_OK;
}

frz_status frz_format_properties_read(const frz_metadata *metadata, frz_format_properties *out,
                                      frz_error **err)
{
    frz_format_properties made = {
        .avro = {.struct_size = sizeof made.avro, .codec = FRZ_CODEC_DEFLATE}};
    const char *codec = frz_metadata_property(metadata, data_codec);
    FRZ_TRY(read_format(metadata, "write.format.default", FRZ_FORMAT_PARQUET, &made.data, err));
    FRZ_TRY(read_format(metadata, "write.delete.format.default", made.data, &made.deletes, err));
    if (codec)
        FRZ_TRY(parse_codec(data_codec, codec, &made.avro.codec, err));
    FRZ_TRY(read_level(data_level, frz_metadata_property(metadata, data_level), &made.avro, err));
    FRZ_TRY(read_deletes(metadata, &made.avro, &made.delete_avro, err));
    *out = made;
    return FRZ_OK;
}
