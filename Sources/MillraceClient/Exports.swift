// Re-exports for applications, which import only MillraceClient: its interface includes frames, audio blocks, bit rates, identifiers
// and still images.
@_exported public import struct Containers.ContainerError
@_exported public import enum Containers.PNGWriter
@_exported public import MediaBase
@_exported public import Signaling
