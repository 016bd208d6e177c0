import Foundation
import Glibc
import MediaBase

@testable import MediaEngine

// Calls of Linux that Swift's Glibc module lacks.
@_silgen_name("unshare") private func unshare(_ flags: Int32) -> Int32
@_silgen_name("setns") private func setns(_ namespace: Int32, _ kind: Int32) -> Int32

/// Two network namespaces that a veth pair connects: 10.9.0.1 of the calling thread, and 10.9.0.2, which also has 10.10.0.0/16. Both are gone
/// when the thread and this object are.
final class VethPair {
    static let own = "10.9.0.1"
    static let peer = "10.9.0.2"
    private static let newNetwork: Int32 = 0x4000_0000

    private let ownNamespace: Int32
    private let peerNamespace: Int32

    /// Whether this process may make network namespaces and configure them.
    static let isPermitted: Bool = (try? run { _ in true }) ?? false

    /// Runs `body` on a thread in a namespace of its own.
    static func run<R: Sendable>(_ body: @escaping @Sendable (VethPair) throws -> R) throws -> R {
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var result: Result<R, any Error> = .failure(EndpointError(errno: EAGAIN))
        let error = DetachedThread.run("test namespace") {
            result = Result { try body(VethPair()) }
            done.signal()
        }
        guard error == 0 else { throw EndpointError(errno: error) }
        done.wait()
        return try result.get()
    }

    private init() throws {
        // The thread enters the namespace that it makes; the first one becomes that of the peer.
        guard unshare(Self.newNetwork) == 0 else { throw EndpointError(errno: errno) }
        peerNamespace = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
        guard unshare(Self.newNetwork) == 0 else { throw EndpointError(errno: errno) }
        ownNamespace = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
        guard peerNamespace >= 0, ownNamespace >= 0 else { throw EndpointError(errno: errno) }
        try command("ip link set lo up")
        // The descriptor of the peer's namespace must be open in the command.
        guard fcntl(peerNamespace, F_SETFD, 0) == 0 else { throw EndpointError(errno: errno) }
        try command("ip link add v0 type veth peer name v1 netns /proc/self/fd/\(peerNamespace)")
        try command("ip link set v0 up")
        try command("ip address add \(Self.own)/24 dev v0")
        try command("ip route add 10.10.0.0/16 via \(Self.peer)")
        try atPeer { () throws -> Void in
            try command("ip link set lo up")
            try command("ip link set v1 up")
            try command("ip address add \(Self.peer)/24 dev v1")
            try command("ip route add local 10.10.0.0/16 dev lo")
        }
    }

    deinit {
        close(ownNamespace)
        close(peerNamespace)
    }

    /// Runs a command in the thread's namespace.
    func command(_ line: String) throws {
        guard system("\(line) 2>/dev/null") == 0 else { throw EndpointError(errno: EINVAL) }
    }

    /// Runs `body` in the peer's namespace. Sockets that it opens stay there.
    func atPeer<R>(_ body: () throws -> R) throws -> R {
        guard setns(peerNamespace, Self.newNetwork) == 0 else { throw EndpointError(errno: errno) }
        defer { _ = setns(ownNamespace, Self.newNetwork) }
        return try body()
    }
}
