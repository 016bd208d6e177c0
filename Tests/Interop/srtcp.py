"""SRTCP with AES-CM and HMAC-SHA1 (RFC 3711), written from the RFC on top of the openssl program: an independent implementation."""

import base64
import hashlib
import hmac
import struct
import subprocess


def key_stream(key, iv, length):
    """Returns AES-128 in counter mode over zeros."""
    return subprocess.run(["openssl", "enc", "-aes-128-ctr", "-K", key.hex(), "-iv", iv.hex(), "-nopad"],
                          input=bytes(length), capture_output=True, check=True).stdout


class Sender:
    """Protects RTCP compounds of one SSRC."""

    def __init__(self, base64_key):
        raw = base64.b64decode(base64_key)
        self._master, self._master_salt = raw[:16], int.from_bytes(raw[16:30])
        self._key, self._salt = self._derive(3, 16), int.from_bytes(self._derive(5, 14))
        self._auth = self._derive(4, 20)
        self._index = 0

    def _derive(self, label, length):
        """Derives a key by section 4.3.1, with a key derivation rate of 0."""
        x = self._master_salt ^ (label << 48)
        return key_stream(self._master, (x << 16).to_bytes(16), length)

    def protect(self, compound):
        """Protects a compound by section 3.4: all but the first eight bytes encrypted, then E and index, then the tag."""
        self._index += 1
        ssrc = int.from_bytes(compound[4:8])
        iv = (self._salt << 16) ^ (ssrc << 64) ^ (self._index << 16)
        stream = key_stream(self._key, iv.to_bytes(16), len(compound) - 8)
        sealed = compound[:8] + bytes(a ^ b for a, b in zip(compound[8:], stream))
        sealed += struct.pack(">I", 0x8000_0000 | self._index)
        return sealed + hmac.new(self._auth, sealed, hashlib.sha1).digest()[:10]


def receiver_report(sender):
    """Returns an empty receiver report, the beginning of every compound."""
    return struct.pack(">BBHI", 0x80, 201, 1, sender)


def picture_loss(sender, media):
    return struct.pack(">BBHII", 0x81, 206, 2, sender, media)


def negative_acknowledgement(sender, media, sequence):
    return struct.pack(">BBHIIHH", 0x81, 205, 3, sender, media, sequence, 0)
