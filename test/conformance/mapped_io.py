"""PyIceberg's storage for tables that have moved: paths recorded under one prefix are read under another."""
from pyiceberg.io.pyarrow import PyArrowFileIO


class MappedIO(PyArrowFileIO):
    def new_input(self, location):
        from peer_server import moved

        return super().new_input(moved(location))
