/*
 * Java's generic reader as a server on standard input, for the types that Spark refuses (time, timestamp_ns, unknown).
 * A question is a line "SNAPSHOT_ID METADATA_JSON" (the id is 0 for the current snapshot), its answer one line
 * {"rows": [...]} in the plain form of plain.py, or {"error": TEXT}. The question "plan METADATA_JSON EXPRESSION_JSON" asks
 * for the data files that Java plans for a filter; its rows are their paths.
 *
 * Files recorded under a prefix are read from where they lie, the longest prefix that matches:
 *
 *     java -cp JARS JavaReader.java [OLD=NEW ...]
 *
 * A line "maps OLD=NEW ..." replaces the prefixes.
 */
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Files;
import org.apache.iceberg.IcebergBuild;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.ExpressionParser;
import org.apache.iceberg.hadoop.HadoopFileIO;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

public class JavaReader {
  private static final DateTimeFormatter MICROS = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS");
  private static final DateTimeFormatter NANOS = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSSSS");

  private static String[] maps = {};

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    maps = args;
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    out.println("{\"version\": \"" + IcebergBuild.version() + "\"}");
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      StringBuilder answer = new StringBuilder();
      try {
        int space = line.indexOf(' ');
        String rest = line.substring(space + 1);
        answer.append("{\"rows\": [");
        if (line.startsWith("maps ")) {
          maps = rest.split(" ");
        } else if (line.startsWith("plan ")) {
          plan(rest.substring(0, rest.indexOf(' ')), rest.substring(rest.indexOf(' ') + 1), answer);
        } else {
          read(rest, Long.parseLong(line.substring(0, space)), answer);
        }
        answer.append("]}");
      } catch (Exception | StackOverflowError | LinkageError problem) { // every failure is an answer
        answer.setLength(0);
        answer.append("{\"error\": ");
        text(problem.toString(), answer);
        answer.append("}");
      }
      out.println(answer);
    }
  }

  /** Reads local files, some recorded elsewhere. */
  private static class MappedIO implements FileIO {
    @Override
    public InputFile newInputFile(String path) {
      String best = "";
      String moved = path;
      for (String map : maps) {
        String old = map.substring(0, map.indexOf('='));
        if (path.startsWith(old) && old.length() > best.length()) {
          best = old;
          moved = map.substring(old.length() + 1) + path.substring(old.length());
        }
      }
      return Files.localInput(moved);
    }

    @Override
    public OutputFile newOutputFile(String path) {
      throw new UnsupportedOperationException("only for reading");
    }

    @Override
    public void deleteFile(String path) {
      throw new UnsupportedOperationException("only for reading");
    }
  }

  private static Table open(String metadata) {
    FileIO io = maps.length == 0 ? new HadoopFileIO(new Configuration()) : new MappedIO();
    return new BaseTable(new StaticTableOperations(metadata, io), "table");
  }

  private static void plan(String metadata, String filter, StringBuilder out) throws Exception {
    Table table = open(metadata);
    Expression expression = ExpressionParser.fromJson(filter, table.schema());
    String separator = "";
    try (CloseableIterable<FileScanTask> tasks = table.newScan().filter(expression).planFiles()) {
      for (FileScanTask task : tasks) {
        out.append(separator);
        text(task.file().location(), out);
        separator = ", ";
      }
    }
  }

  private static void read(String metadata, long snapshot, StringBuilder out) throws Exception {
    Table table = open(metadata);
    TableScan scan = snapshot == 0 ? table.newScan() : table.newScan().useSnapshot(snapshot);
    // Records of files with deletes carry further fields (_pos): the schema of the scan says which to print.
    Types.StructType columns = scan.schema().asStruct();
    IcebergGenerics.ScanBuilder build = IcebergGenerics.read(table);
    if (snapshot != 0) {
      build = build.useSnapshot(snapshot);
    }
    try (CloseableIterable<Record> rows = build.build()) {
      String separator = "";
      for (Record row : rows) {
        out.append(separator);
        print(row, columns, out);
        separator = ", ";
      }
    }
  }

  private static void print(Object value, Type type, StringBuilder out) {
    if (value == null) {
      out.append("null");
    } else if (value instanceof Record) {
      Record record = (Record) value;
      String separator = "{";
      for (Types.NestedField field : type.asStructType().fields()) {
        out.append(separator);
        text(field.name(), out);
        out.append(": ");
        print(record.getField(field.name()), field.type(), out);
        separator = ", ";
      }
      out.append(separator.equals("{") ? "{}" : "}");
    } else if (value instanceof List) {
      String separator = "";
      out.append("[");
      for (Object item : (List<?>) value) {
        out.append(separator);
        print(item, type.asListType().elementType(), out);
        separator = ", ";
      }
      out.append("]");
    } else if (value instanceof Map) {
      String separator = "";
      out.append("{\"$map\": [");
      for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
        out.append(separator).append("[");
        print(entry.getKey(), type.asMapType().keyType(), out);
        out.append(", ");
        print(entry.getValue(), type.asMapType().valueType(), out);
        out.append("]");
        separator = ", ";
      }
      out.append("]}");
    } else {
      primitive(value, type, out);
    }
  }

  private static void primitive(Object value, Type type, StringBuilder out) {
    boolean nanos = type.typeId() == Type.TypeID.TIMESTAMP_NANO;
    if (value instanceof Boolean || value instanceof Integer || value instanceof Long) {
      out.append(value);
    } else if (value instanceof Float || value instanceof Double) {
      double number = ((Number) value).doubleValue();
      if (Double.isFinite(number)) {
        out.append(number);
      } else {
        text(Double.toString(number), out);
      }
    } else if (value instanceof BigDecimal) {
      text(((BigDecimal) value).toPlainString(), out);
    } else if (value instanceof OffsetDateTime) {
      OffsetDateTime utc = ((OffsetDateTime) value).withOffsetSameInstant(ZoneOffset.UTC);
      text(utc.format(nanos ? NANOS : MICROS) + "Z", out);
    } else if (value instanceof LocalDateTime) {
      text(((LocalDateTime) value).format(nanos ? NANOS : MICROS), out);
    } else if (value instanceof LocalTime) {
      text(((LocalTime) value).format(DateTimeFormatter.ofPattern("HH:mm:ss.SSSSSS")), out);
    } else if (value instanceof byte[]) {
      hex((byte[]) value, out);
    } else if (value instanceof ByteBuffer) {
      byte[] bytes = new byte[((ByteBuffer) value).remaining()];
      ((ByteBuffer) value).duplicate().get(bytes);
      hex(bytes, out);
    } else if (value instanceof LocalDate) {
      text(value.toString(), out);
    } else {
      text(value.toString(), out); // strings and uuids
    }
  }

  private static void hex(byte[] bytes, StringBuilder out) {
    StringBuilder digits = new StringBuilder("0x");
    for (byte b : bytes) {
      digits.append(String.format("%02x", b));
    }
    text(digits.toString(), out);
  }

  private static void text(String value, StringBuilder out) {
    out.append('"');
    for (char c : value.toCharArray()) {
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < 0x20) {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }
}
