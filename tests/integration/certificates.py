# SPDX-License-Identifier: BSD-3-Clause
"""Certificates for the tests, made anew by the openssl command in a temporary folder."""
import subprocess


def openssl(*args, text=None):
    return subprocess.run(["openssl", *args], input=text, capture_output=True, text=True,
                          check=True, timeout=60).stdout


class Authority:
    """A CA in `folder`; issue() gives the paths of a certificate and of its key."""

    def __init__(self, folder, name="Test CA"):
        self.folder = folder
        self.file = folder / "ca.pem"
        self.key = folder / "ca.key"
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-days", "2", "-subj", f"/CN={name}", "-keyout", str(self.key),
                "-out", str(self.file))

    def issue(self, name, *hosts, subject=None):
        cert, key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        request, extensions = self.folder / f"{name}.csr", self.folder / f"{name}.ext"
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-subj", subject or f"/CN={name}", "-keyout", str(key), "-out", str(request))
        names = ",".join(f"DNS:{host}" for host in hosts)
        extensions.write_text(f"subjectAltName={names}\n" if hosts else "")
        openssl("x509", "-req", "-in", str(request), "-CA", str(self.file), "-CAkey",
                str(self.key), "-CAcreateserial", "-days", "2", "-extfile", str(extensions),
                "-out", str(cert))
        return str(cert), str(key)
