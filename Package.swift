// swift-tools-version: 6.2
import Foundation
import PackageDescription

// Floors (docs/architecture.md): a target imports only lower floors, or earlier names on its own floor. `tools/check` holds
// the sources to the same order.

let hotPath: [SwiftSetting] = [
    // A class or global access checked at run time costs 9 ns; the packet path is confined to one thread by construction.
    .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))
]

#if arch(x86_64)
    let multiBuffer: [LinkerSetting] = [.linkedLibrary("IPSec_MB")]
#else
    let multiBuffer: [LinkerSetting] = []
#endif

// Full RELRO: all functions of libraries are bound at the start, and the table of their addresses is read-only from then on. Only for the
// executable, which no other package depends on.
let fullRELRO: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now"])
]

/// Products of SwiftNIO.
func nio(_ names: String...) -> [Target.Dependency] { names.map { .product(name: $0, package: "swift-nio") } }

func extras(_ names: String...) -> [Target.Dependency] {
    names.map { .product(name: $0, package: "swift-nio-extras") }
}

let package = Package(
    name: "millrace",
    products: [
        .executable(name: "millrace", targets: ["millrace"]),
        .library(name: "RelayServer", targets: ["RelayServer"]),
        // Session tokens for backends, without the rest of the relay.
        .library(name: "MillraceTokens", targets: ["MillraceTokens", "Signaling"]),
        .library(name: "MillraceClient", targets: ["MillraceClient", "Signaling", "MediaBase"]),
        .library(name: "Signaling", targets: ["Signaling"]),
        .library(name: "Codecs", targets: ["Codecs"]),
        .library(name: "Containers", targets: ["Containers"]),
    ],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(
            url: "https://github.com/apple/swift-configuration", from: "1.4.0",
            traits: ["JSON", "YAML"]),
    ],
    targets: [
        // L0: C libraries
        .systemLibrary(name: "COpus", pkgConfig: "opus", providers: [.apt(["libopus-dev"])]),
        .systemLibrary(name: "CVPX", pkgConfig: "vpx", providers: [.apt(["libvpx-dev"])]),
        .systemLibrary(name: "COpenH264", pkgConfig: "openh264", providers: [.apt(["libopenh264-dev"])]),
        .systemLibrary(name: "CDav1d", pkgConfig: "dav1d", providers: [.apt(["libdav1d-dev"])]),
        .systemLibrary(name: "CAOM", pkgConfig: "aom", providers: [.apt(["libaom-dev"])]),
        .systemLibrary(name: "CSRTP", pkgConfig: "libsrtp2", providers: [.apt(["libsrtp2-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        // Debian's libyuv-dev has no file for pkg-config.
        .systemLibrary(name: "CYUV", providers: [.apt(["libyuv-dev"])]),
        .systemLibrary(name: "CFreeType", pkgConfig: "freetype2", providers: [.apt(["libfreetype-dev"])]),
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .target(name: "CIPSecMB", linkerSettings: multiBuffer),
        .target(name: "CWebM", linkerSettings: [.linkedLibrary("webm")]),
        .target(name: "CLinuxNet"),
        // libpq, loaded at run time, so that only a relay of a cluster needs it.
        .target(name: "CPQ"),
        .target(name: "CCrash"),
        // The page's files, taken into the binary by the compiler.
        .target(name: "CPage", exclude: ["web"]),

        // L1: bytes <-> values
        .target(name: "MediaBase"),
        .target(name: "RTP", dependencies: ["MediaBase"], swiftSettings: hotPath),
        .target(name: "STUN"),
        .target(name: "SDP", dependencies: ["MediaBase", "RTP"]),
        .target(name: "Signaling"),
        .target(name: "TestMedia", dependencies: ["MediaBase"]),

        // L2: safe owners of C handles
        .target(name: "SRTP", dependencies: ["CSRTP", "COpenSSL", "CIPSecMB"], swiftSettings: hotPath),
        .target(name: "DTLS", dependencies: ["MediaBase", "SRTP", "COpenSSL"]),
        .target(name: "Cryptography", dependencies: ["COpenSSL"]),
        .target(name: "SFrame", dependencies: ["MediaBase", "Cryptography", "COpenSSL"]),
        .target(name: "Codecs", dependencies: ["MediaBase", "RTP", "COpus", "CVPX", "COpenH264", "CDav1d", "CAOM"]),
        .target(name: "Containers", dependencies: ["MediaBase", "CWebM", "CPNG"]),

        // L3: rules; no sockets, files, tasks, locks or clock reads
        .target(name: "Transport", dependencies: ["MediaBase", "STUN", "SDP", "SRTP", "DTLS"]),
        .target(name: "Forwarding", dependencies: ["MediaBase", "RTP", "SRTP"], swiftSettings: hotPath),
        .target(
            name: "Conference",
            dependencies: ["MediaBase", "Signaling", .product(name: "DequeModule", package: "swift-collections")]),
        .target(name: "Cluster", dependencies: ["MediaBase", "Signaling", "Conference"]),
        .target(name: "SessionMedia", dependencies: ["MediaBase", "SDP", "Signaling", "Conference"]),
        .target(name: "MillraceTokens", dependencies: ["Signaling", "Cryptography"]),
        .target(name: "Messaging", dependencies: ["MediaBase", "Signaling"]),
        .target(
            name: "WebRTCClient",
            dependencies: ["MediaBase", "RTP", "SDP", "SRTP", "DTLS", "Transport", "Forwarding"]),

        // L4: threads, sockets, files
        .target(
            name: "MediaEngine",
            dependencies: [
                "MediaBase", "RTP", "SDP", "SRTP", "DTLS", "Transport", "Forwarding", "CLinuxNet", "CCrash",
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: hotPath),
        .target(
            name: "Canvas", dependencies: ["MediaBase", "RTP", "Codecs", "Containers", "MediaEngine", "CLinuxNet"]),
        .target(
            name: "Recording",
            dependencies: [
                "MediaBase", "RTP", "Forwarding", "Cryptography", "SFrame", "Codecs", "Containers", "MediaEngine",
                "Canvas",
                "CLinuxNet", "CYUV", "CFreeType", .product(name: "DequeModule", package: "swift-collections"),
            ]),
        .target(name: "TLSChannel", dependencies: ["COpenSSL", .product(name: "NIOCore", package: "swift-nio")]),
        .target(
            name: "HTTPCalls",
            dependencies: [
                "MediaBase", "TLSChannel",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ] + nio("NIOConcurrencyHelpers", "NIOCore", "NIOHTTP1", "NIOPosix")
                + extras("NIOHTTPTypes", "NIOHTTPTypesHTTP1")),
        .target(
            name: "FFmpegBridge",
            dependencies: [
                "MediaBase", .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ]),
        .target(
            name: "Persistence",
            dependencies: [
                "MediaBase", "Signaling", "Conference", "Messaging", "Cluster", "CPQ", "CLinuxNet",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .target(
            name: "ClusterLink",
            dependencies: [
                "MediaBase", "Cluster", "Conference", "DTLS", "TLSChannel", "Signaling",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ] + nio("NIOConcurrencyHelpers", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOWebSocket")
                + extras("NIOHTTPTypes", "NIOHTTPTypesHTTP1")),
        .target(
            name: "ControlServer",
            dependencies: [
                "MediaBase", "SDP", "Signaling", "Conference", "SessionMedia", "MillraceTokens", "Messaging", "SRTP",
                "Cluster", "ClusterLink", "MediaEngine", "Canvas", "Recording", "Persistence", "HTTPCalls",
                "TLSChannel", "Cryptography", "DTLS", "Transport", "WebRTCClient", "CLinuxNet", "CPage",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ] + nio("NIOCore", "NIOConcurrencyHelpers", "NIOFoundationCompat", "NIOHTTP1", "NIOWebSocket")
                + extras("NIOHTTPTypes", "NIOHTTPTypesHTTP1")),
        .target(
            name: "MillraceClient",
            dependencies: [
                "MediaBase", "RTP", "SDP", "Signaling", "DTLS", "SFrame", "Codecs", "Containers", "Transport",
                "WebRTCClient", "TLSChannel",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ] + nio("NIOCore", "NIOPosix", "NIOConcurrencyHelpers", "NIOFoundationCompat", "NIOHTTP1", "NIOWebSocket")),

        // L5: the application
        .target(
            name: "RelayServer",
            dependencies: [
                "MediaBase", "Signaling", "Conference", "Cluster", "ClusterLink", "MillraceTokens", "Messaging", "SRTP",
                "DTLS", "MediaEngine", "Canvas", "Recording", "Persistence", "HTTPCalls", "ControlServer", "CLinuxNet",
                "CCrash",
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Logging", package: "swift-log"),
            ] + nio("NIOConcurrencyHelpers", "NIOPosix")),
        .target(
            name: "LoadGenerator",
            dependencies: [
                "MediaBase", "RTP", "SDP", "SRTP", "DTLS", "Transport", "Forwarding", "WebRTCClient", "Codecs",
                "MediaEngine", "CLinuxNet", "Signaling", "SFrame", "TestMedia", "MillraceTokens", "HTTPCalls",
                "ControlServer", "MillraceClient",
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ]),
        .executableTarget(
            name: "millrace",
            dependencies: [
                "MediaBase", "Signaling", "SFrame", "Containers", "Recording", "MillraceTokens", "HTTPCalls",
                "Persistence", "ControlServer", "FFmpegBridge", "RelayServer",
                "LoadGenerator",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], linkerSettings: fullRELRO),

        .executableTarget(name: "MillraceTutorial", dependencies: ["MillraceClient"]),

        // Benchmarks: in this package, because they measure what is `package` here
        .target(name: "CallCounter", path: "Benchmarks/CallCounter"),
        .executableTarget(
            name: "millrace-bench",
            dependencies: [
                "MediaBase", "RTP", "SDP", "SRTP", "DTLS", "Transport", "Forwarding", "MediaEngine", "Recording",
                "CLinuxNet", "CallCounter", "LoadGenerator", "WebRTCClient", "SFrame",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Benchmarks/MillraceBench"),
        .executableTarget(
            name: "millrace-bench-messages",
            dependencies: [
                "Signaling", "Messaging", "Persistence",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Benchmarks/MessageBench"),

        // Tests
        .executableTarget(
            name: "millrace-hostile",
            dependencies: [
                "MediaBase", "RTP", "SDP", "SRTP", "DTLS", "Transport", "WebRTCClient", "Codecs", "MediaEngine",
                "CLinuxNet", "HTTPCalls", "TestMedia", "LoadGenerator", "MillraceTestKit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Tests/Hostile"),
        .executableTarget(
            name: "millrace-sdk-client",
            dependencies: [
                "MillraceClient", "MediaBase", "Signaling", "TestMedia",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Tests/SDKClient"),
        .target(
            name: "MillraceTestKit",
            dependencies: ["MediaBase", "RTP", "SRTP", "Cryptography"], path: "Tests/MillraceTestKit"),
        .target(
            name: "WebRTCTestKit", dependencies: ["MediaBase", "RTP", "Transport", "WebRTCClient"],
            path: "Tests/WebRTCTestKit"),
        .testTarget(name: "MillraceTestKitTests", dependencies: ["MillraceTestKit", "MediaBase"]),
        .testTarget(name: "MediaBaseTests", dependencies: ["MediaBase", "MillraceTestKit"]),
        .testTarget(name: "RTPTests", dependencies: ["RTP", "MillraceTestKit"]),
        .testTarget(name: "CryptographyTests", dependencies: ["Cryptography", "MillraceTestKit"]),
        .testTarget(name: "SFrameTests", dependencies: ["SFrame", "Cryptography", "MediaBase", "MillraceTestKit"]),
        .testTarget(name: "STUNTests", dependencies: ["STUN", "MillraceTestKit"]),
        .testTarget(name: "TestMediaTests", dependencies: ["TestMedia", "MediaBase", "Codecs"]),
        .testTarget(name: "SignalingTests", dependencies: ["Signaling", "MillraceTestKit"]),
        .testTarget(
            name: "ConferenceTests", dependencies: ["Conference", "Signaling", "MediaBase", "MillraceTestKit"]),
        .testTarget(
            name: "SessionMediaTests",
            dependencies: [
                "SessionMedia", "SessionTestKit", "Conference", "Signaling", "MediaBase", "SDP", "MillraceTestKit",
            ]),
        .target(
            name: "SessionTestKit",
            dependencies: ["SessionMedia", "Conference", "Signaling", "MediaBase", "SDP", "MillraceTestKit"],
            path: "Tests/SessionTestKit"),
        .target(
            name: "ClusterTestKit",
            dependencies: ["Cluster", "Conference", "Signaling", "MediaBase", "MillraceTestKit"],
            path: "Tests/ClusterTestKit"),
        .testTarget(
            name: "ClusterTests",
            dependencies: ["Cluster", "ClusterTestKit", "Conference", "Signaling", "MediaBase"]),
        .testTarget(
            name: "ClusterLinkTests",
            dependencies: [
                "ClusterLink", "Cluster", "TLSChannel",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ] + nio("NIOCore", "NIOEmbedded", "NIOHTTP1", "NIOPosix", "NIOWebSocket")),
        .target(
            name: "MessagingTestKit", dependencies: ["Messaging", "Signaling"], path: "Tests/MessagingTestKit"),
        .testTarget(
            name: "MessagingTests",
            dependencies: ["Messaging", "MessagingTestKit", "Signaling", "MediaBase", "MillraceTestKit"]),
        .testTarget(
            name: "PersistenceTests",
            dependencies: [
                "Persistence", "Messaging", "MessagingTestKit", "Signaling", "MillraceTestKit", "Cluster",
                "ClusterTestKit", "MediaBase",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(name: "SDPTests", dependencies: ["SDP", "MediaBase", "RTP", "MillraceTestKit"]),
        .testTarget(name: "DTLSTests", dependencies: ["DTLS", "MediaBase", "SRTP", "MillraceTestKit"]),
        .testTarget(
            name: "TransportTests",
            dependencies: [
                "Transport", "DTLS", "SDP", "STUN", "SRTP", "RTP", "MediaBase", "CLinuxNet", "MillraceTestKit",
            ]),
        .testTarget(
            name: "WebRTCClientTests",
            dependencies: [
                "WebRTCClient", "WebRTCTestKit", "Transport", "DTLS", "SDP", "SRTP", "RTP", "MediaBase",
                "MillraceTestKit",
            ]),
        .testTarget(name: "SRTPTests", dependencies: ["SRTP", "MillraceTestKit"]),
        .testTarget(name: "CodecsTests", dependencies: ["Codecs", "MillraceTestKit"]),
        .testTarget(name: "ContainersTests", dependencies: ["Containers", "Codecs", "MillraceTestKit"]),
        .testTarget(name: "ForwardingTests", dependencies: ["Forwarding", "MillraceTestKit"]),
        .testTarget(
            name: "MediaEngineTests",
            dependencies: [
                "MediaEngine", "CLinuxNet", "CCrash", "MillraceTestKit", "WebRTCClient", "WebRTCTestKit", "Transport",
                "Forwarding", "DTLS", "SDP", "STUN", "SRTP", "RTP", "MediaBase",
            ]),
        .testTarget(
            name: "CanvasTests",
            dependencies: ["Canvas", "MediaBase", "RTP", "Codecs", "Containers", "MediaEngine", "MillraceTestKit"]),
        .testTarget(
            name: "RecordingTests",
            dependencies: ["Recording", "MediaBase", "RTP", "Codecs", "Containers", "MediaEngine", "MillraceTestKit"]),
        .testTarget(
            name: "TLSChannelTests",
            dependencies: [
                "TLSChannel", "MillraceTestKit",
            ] + nio("NIOCore", "NIOEmbedded")),
        .testTarget(name: "HTTPCallsTests", dependencies: ["HTTPCalls"]),
        .testTarget(name: "FFmpegBridgeTests", dependencies: ["FFmpegBridge", "MediaBase"]),
        .testTarget(
            name: "ControlServerTests",
            dependencies: [
                "ControlServer", "Conference", "Signaling", "MillraceTokens", "Cryptography", "MediaBase",
                "MillraceTestKit", "MediaEngine", "Recording", "SessionMedia", "SessionTestKit", "SDP", "SRTP",
                "Cluster",
                .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ]),
        .testTarget(
            name: "RelayServerTests",
            dependencies: [
                "RelayServer", "ControlServer", "HTTPCalls", "Conference", "MillraceTokens", "Messaging",
                "Persistence", "Signaling", "LoadGenerator", "WebRTCClient", "WebRTCTestKit", "Transport", "DTLS",
                "MediaBase", "RTP", "SDP", "MediaEngine", "CLinuxNet", "MillraceTestKit", "SRTP", "Codecs",
                "Recording", "TLSChannel", "Cryptography", "TestMedia",
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Logging", package: "swift-log"),
            ] + nio("NIOCore", "NIOConcurrencyHelpers", "NIOHTTP1", "NIOPosix", "NIOWebSocket")),
        .testTarget(
            name: "MillraceClientTests",
            dependencies: [
                "MillraceClient", "SFrame", "Signaling", "MediaBase", "RTP", "Codecs", "Containers",
                "Transport", "MillraceTokens", "HTTPCalls", "ControlServer", "RelayServer",
                "TestMedia", "MillraceTestKit",
            ] + nio("NIOCore", "NIOPosix", "NIOConcurrencyHelpers")),
        // Entry functions of the fuzz targets; the corpus tests call them without a fuzzer.
        .target(
            name: "MillraceFuzzTargets",
            dependencies: [
                "MediaBase", "RTP", "STUN", "SDP", "Signaling", "SRTP", "DTLS", "Containers", "Transport", "Forwarding",
                "Cryptography", "SFrame",
            ], path: "Tests/FuzzTargets"),
        .testTarget(name: "FuzzCorpusTests", dependencies: ["MillraceFuzzTargets"]),
        .testTarget(
            name: "LoadGeneratorTests",
            dependencies: [
                "LoadGenerator", "TestMedia", "RelayServer", "MediaBase", "RTP", "SRTP", "MediaEngine", "Codecs",
                "Forwarding", "MillraceClient", "HTTPCalls",
            ]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

// An import is visible to the importing target alone, unless it is declared `package` or `public`.
for target in package.targets where target.type != .system {
    target.swiftSettings = (target.swiftSettings ?? []) + [.enableUpcomingFeature("InternalImportsByDefault")]
}

// Set by `tools/fuzz`: the fuzzer and its dependencies, with coverage and AddressSanitizer, and no other package.
if ProcessInfo.processInfo.environment["MILLRACE_FUZZ"] == "1" {
    let fuzzed: Set = [
        "CSRTP", "COpenSSL", "CPNG", "CIPSecMB", "CWebM", "MediaBase", "RTP", "STUN", "SDP", "Signaling", "SRTP",
        "DTLS", "Cryptography", "SFrame",
        "Containers", "Transport", "Forwarding", "MillraceFuzzTargets",
    ]
    package.dependencies = []
    package.products = []
    package.targets.removeAll { !fuzzed.contains($0.name) }
    for target in package.targets where target.type != .system {
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-sanitize=fuzzer,address"])]
        target.cSettings = [.unsafeFlags(["-fsanitize=fuzzer-no-link,address"])]
        target.cxxSettings = [.unsafeFlags(["-fsanitize=fuzzer-no-link,address"])]
    }
    package.targets.append(
        .executableTarget(
            name: "millrace-fuzz", dependencies: ["MillraceFuzzTargets"], path: "Tests/Fuzz",
            exclude: ["Corpus", "Dictionaries"],
            // The target has an entry function of its own, which only LLD takes for that of the program.
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]))
}

// Set by `tools/test`: a warning in a target of this package is an error; packages of others are not touched.
if ProcessInfo.processInfo.environment["MILLRACE_WERROR"] == "1" {
    for target in package.targets where target.type != .system {
        target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
    }
}

// MILLRACE_TEST_TARGETS=ForwardingTests,RTPTests: builds only these test targets, for a short way from a change to its tests.
if let wanted = ProcessInfo.processInfo.environment["MILLRACE_TEST_TARGETS"]?.split(separator: ","),
    !wanted.isEmpty
{
    package.targets.removeAll { $0.type == .test && !wanted.contains(Substring($0.name)) }
}
