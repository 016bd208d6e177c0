// An application imports MillraceClient alone: frames, audio blocks, bit rates, identifiers and still images are part of its interface.
@_exported public import struct Containers.ContainerError
@_exported public import enum Containers.PNGWriter
@_exported public import MediaBase
@_exported public import Signaling
