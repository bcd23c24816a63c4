#!/usr/bin/env bash
# Installs the peers at pinned versions into test/interop/.peers (git ignores it): PyIceberg, pyarrow, DuckDB with its
# iceberg extension, Spark with the Iceberg runtime. From the ordinary package registries; works again offline once
# everything is there. Needs python3 with venv, a JDK 17 and Maven.
set -euo pipefail
cd "$(dirname "$0")"
peers=${FRAZIL_PEERS:-$PWD/.peers}
mkdir -p "$peers"

PYTHON_PEERS=("pyiceberg[sql-sqlite,pyarrow,snappy]==0.12.0" pyiceberg-core==0.11.0 pyarrow==26.0.1 duckdb==1.5.5
    duckdb-extensions==1.5.5 duckdb-extension-iceberg==1.5.5 duckdb-extension-avro==1.5.5 fastavro==1.13.1 polars==2.1.0)
SPARK_PEERS=(pyspark==4.1.4)
JARS=(org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0 org.xerial:sqlite-jdbc:3.46.1.3)

# Each environment is complete when its stamp names the same versions.
stamp_is() { [ -f "$peers/$1.stamp" ] && [ "$(cat "$peers/$1.stamp")" = "$2" ]; }

python_environment() { # NAME PACKAGE...
    local name=$1 want
    shift
    want="$*"
    if stamp_is "$name" "$want"; then return; fi
    echo "installing $want" >&2
    rm -rf "${peers:?}/$name"
    python3 -m venv "$peers/$name"
    # uv resolves in seconds where plain pip can search for a long time.
    "$peers/$name/bin/python" -m pip install -q uv
    "$peers/$name/bin/python" -m uv pip install -q --python "$peers/$name/bin/python" "$@"
    echo "$want" > "$peers/$name.stamp"
}

jars() {
    local want="${JARS[*]}" jar
    if stamp_is jars "$want"; then return; fi
    echo "installing $want" >&2
    command -v mvn >/dev/null || { echo "Maven is needed: apt-get install maven openjdk-17-jdk-headless" >&2; exit 1; }
    mkdir -p "$peers/jars"
    {
        echo '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>peers</groupId>'
        echo '<artifactId>peers</artifactId><version>1</version><dependencies>'
        for jar in "${JARS[@]}"; do
            IFS=: read -r group artifact version <<< "$jar"
            echo "<dependency><groupId>$group</groupId><artifactId>$artifact</artifactId><version>$version</version>"
            echo '<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions></dependency>'
        done
        echo '</dependencies></project>'
    } > "$peers/pom.xml"
    mvn -q -f "$peers/pom.xml" dependency:copy-dependencies -DoutputDirectory="$peers/jars"
    echo "$want" > "$peers/jars.stamp"
}

python_environment python "${PYTHON_PEERS[@]}"
python_environment spark "${SPARK_PEERS[@]}"
jars
echo "$peers"
