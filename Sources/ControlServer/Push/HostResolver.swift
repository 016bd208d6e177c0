import Glibc
import MediaBase
import MediaEngine

/// Resolves host names of URLs that users gave. The caller connects to an address of the answer, so that the name cannot
/// lead to another one after the check (DNS rebinding).
enum HostResolver {
    /// Returns the addresses of a host in the system's order; empty if there are none. The system bounds the time.
    static func addresses(of host: String, port: UInt16) async -> [SocketAddress] {
        if let address = SocketAddress(host, port: port) { return [address] }
        return await withCheckedContinuation { waiting in
            // Not on the cooperative threads, because the call blocks for seconds if a name server does not answer.
            let code = DetachedThread.run("millrace-name") { waiting.resume(returning: resolve(host, port)) }
            if code != 0 { waiting.resume(returning: []) }
        }
    }

    private static func resolve(_ host: String, _ port: UInt16) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var found: [SocketAddress] = []
        var next = first
        while let entry = next {
            next = entry.pointee.ai_next
            guard let address = entry.pointee.ai_addr else { continue }
            let bytes = UnsafeRawBufferPointer(start: address, count: Int(entry.pointee.ai_addrlen))
            guard var parsed = SocketAddress(kernelBytes: bytes) else { continue }
            parsed.port = port
            if !found.contains(parsed) { found.append(parsed) }
        }
        return found
    }
}
