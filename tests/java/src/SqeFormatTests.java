import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.rest.RESTCatalog;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;

/** Format version 3 through SQE: defaults, row lineage, deletion vectors, upgrade, purge. */
public class SqeFormatTests {
  private static final TableIdentifier NAME = TableIdentifier.of("ns", "t");
  private static final Schema SCHEMA =
      new Schema(
          Types.NestedField.required(1, "id", Types.LongType.get()),
          Types.NestedField.optional("note")
              .withId(2)
              .ofType(Types.StringType.get())
              .withInitialDefault(Literal.of("none"))
              .withWriteDefault(Literal.of("new"))
              .build(),
          Types.NestedField.optional(3, "v", Types.VariantType.get()));

  private static DataFile file(Table table, String name, long rows) throws Exception {
    File path = new File(table.location() + "/data/" + name);
    path.getParentFile().mkdirs();
    assertThat(path.createNewFile()).isTrue();
    return DataFiles.builder(table.spec())
        .withPath(path.getPath())
        .withFileSizeInBytes(10)
        .withRecordCount(rows)
        .withFormat(FileFormat.PARQUET)
        .build();
  }

  @Test
  public void rowsAreCountedDeletedAndPurged() throws Exception {
    Connection connection = new Connection();
    try (RESTCatalog sqe = connection.open("sqe", Map.of())) {
      sqe.createNamespace(Namespace.of("ns"));
      Table table =
          sqe.buildTable(NAME, SCHEMA).withProperty("format-version", "3").create();
      assertThat(table.schema().findField("note").initialDefault()).isEqualTo("none");
      assertThat(table.schema().findField("note").writeDefault()).isEqualTo("new");

      DataFile data = file(table, "a.parquet", 7);
      table.newAppend().appendFile(data).commit();
      table.newAppend().appendFile(file(table, "b.parquet", 5)).commit();
      Snapshot second = sqe.loadTable(NAME).currentSnapshot();
      assertThat(second.firstRowId()).isEqualTo(7);
      assertThat(second.addedRows()).isEqualTo(5);

      File puffin = new File(table.location() + "/data/dv.puffin");
      assertThat(puffin.createNewFile()).isTrue();
      DeleteFile vector =
          FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
              .ofPositionDeletes()
              .withFormat(FileFormat.PUFFIN)
              .withPath(puffin.getPath())
              .withFileSizeInBytes(10)
              .withRecordCount(1)
              .withReferencedDataFile(data.location())
              .withContentOffset(4)
              .withContentSizeInBytes(6)
              .build();
      table.newRowDelta().addDeletes(vector).commit();
      assertThat(sqe.loadTable(NAME).currentSnapshot().summary()).containsEntry("added-dvs", "1");

      File location = new File(table.location());
      assertThat(sqe.dropTable(NAME, true)).isTrue();
      assertThat(location).doesNotExist();
    }
  }

  @Test
  public void aTableIsUpgradedFromTheFirstVersionToTheThird() throws Exception {
    Connection connection = new Connection();
    Schema plain = new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));
    try (RESTCatalog sqe = connection.open("sqe", Map.of())) {
      sqe.createNamespace(Namespace.of("ns"));
      Table table = sqe.buildTable(NAME, plain).withProperty("format-version", "1").create();
      table.newAppend().appendFile(file(table, "a.parquet", 7)).commit();
      for (String version : new String[] {"2", "3"}) {
        table.updateProperties().set("format-version", version).commit();
        table.newAppend().appendFile(file(table, version + ".parquet", 5)).commit();
      }
      Table again = sqe.loadTable(NAME);
      assertThat(again.snapshots()).hasSize(3);
      assertThat(again.currentSnapshot().firstRowId()).isNotNull();
      assertThat(again.history()).hasSize(3);
    }
  }
}
