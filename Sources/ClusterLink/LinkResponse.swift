package import HTTPTypes
package import NIOCore

/// Response of another relay, whose body arrives while it is read.
package struct LinkResponse: Sendable {
    /// Status and fields, without those of the connection (RFC 9110 section 7.6.1).
    package let head: HTTPResponse
    /// Body; it may have no end. The connection closes if its reader goes away.
    package let body: LinkSequence<ByteBuffer>
}
