import LoadGenerator
import MediaBase
import SRTP
import TestMedia
import Testing

@Suite struct LoadOptionsTests {
    private func options(_ change: (inout LoadOptions) -> Void = { _ in }) -> LoadOptions {
        var options = LoadOptions()
        options.embedded = true
        change(&options)
        return options
    }

    @Test func theDefaultsArePossible() throws {
        let plan = try options().validPlan()
        #expect(plan.target == .embedded)
        #expect(plan.video == (try VideoFormat("640x360@30")))
        #expect(plan.suite == .aesCM128HMACSHA1_80)
        #expect(plan.loss == 0)
    }

    /// An invalid option, and the name that the error must contain.
    struct Wrong: Sendable, CustomTestStringConvertible {
        let name: String
        let change: @Sendable (inout LoadOptions) -> Void
        var testDescription: String { name }

        init(_ name: String, _ change: @escaping @Sendable (inout LoadOptions) -> Void) {
            self.name = name
            self.change = change
        }
    }

    static let wrong: [Wrong] = [
        Wrong("url") { $0.embedded = false },
        Wrong("url") { $0.url = "http://127.0.0.1:1" },
        Wrong("simulcast") { $0.plan.simulcast = true },
        Wrong("simulcast") {
            $0.plan.simulcast = true; $0.transport = "webrtc"; $0.video = "none"
        },
        Wrong("simulcast") {
            $0.plan.simulcast = true; $0.transport = "webrtc"; $0.video = "160x90@15"
        },
        Wrong("secret") { $0.secret = "" },
        Wrong("suite") {
            $0.transport = "webrtc"; $0.suite = "cm32"
        },
        Wrong("transport") { $0.transport = "pigeon" },
        Wrong("transport") {
            $0.embedded = false; $0.whip = "http://a/b"; $0.whep = "http://a/c"; $0.transport = "plain"
        },
        Wrong("url") { $0.whip = "http://a/b" },
        Wrong("whep") {
            $0.embedded = false; $0.whip = "http://a/b"
        },
        Wrong("whip") {
            $0.embedded = false; $0.whep = "http://a/b"
        },
        Wrong("whip") {
            $0.embedded = false; $0.whip = "ftp://a/b"; $0.whep = "http://a/b"
        },
        Wrong("video") { $0.video = "10x10" },
        Wrong("video") { $0.video = "abc" },
        Wrong("video") { $0.video = "321x180@15" },
        Wrong("video") { $0.video = "320x180@0" },
        Wrong("video") { $0.video = "320x180@" },
        Wrong("video") { $0.video = "" },
        Wrong("video") {
            $0.video = "none"; $0.plan.audio = false
        },
        Wrong("suite") { $0.suite = "ROT13" },
        Wrong("loss") { $0.loss = 100 },
        Wrong("loss") { $0.loss = -1 },
        Wrong("loss") { $0.loss = .nan },
        Wrong("duration") { $0.duration = 0 },
        Wrong("duration") { $0.duration = .infinity },
        Wrong("ramp") { $0.ramp = -1 },
        Wrong("churn") { $0.plan.churn = -1 },
        Wrong("sessions") { $0.plan.sessions = 0 },
        Wrong("publishers") { $0.plan.publishers = 0 },
        Wrong("subscribers") { $0.plan.subscribers = -1 },
        Wrong("subscribers") {
            $0.plan.sessions = 1_000; $0.plan.subscribers = 1_000
        },
        Wrong("participants") { $0.fullMesh = 1 },
        Wrong("participants") { $0.fullMesh = .max },
        Wrong("subscribers") {
            $0.plan.sessions = 3; $0.fullMesh = 100
        },
        Wrong("decode-sample") { $0.plan.decodeSample = 65 },
        Wrong("video-bitrate") { $0.videoBitrate = 1 },
        Wrong("video-bitrate") { $0.videoBitrate = .max },
        Wrong("address") { $0.plan.localAddress = "localhost" },
        Wrong("max-loss") { $0.plan.thresholds.loss = -1 },
        Wrong("min-psnr") {
            $0.plan.thresholds.psnr = 30; $0.video = "none"
        },
        Wrong("max-freezes") {
            $0.plan.thresholds.freezes = 0; $0.plan.decodeSample = 0
        },
    ]

    @Test(arguments: wrong)
    func whatCannotBeMeantIsRefused(wrong: Wrong) {
        do {
            _ = try options(wrong.change).validPlan()
            Issue.record("was taken")
        } catch {
            guard case .invalidSetting(let field, let reason) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(field == wrong.name)
            #expect(!reason.isEmpty)
        }
    }

    @Test func simulcastIsRefusedWithTheReason() {
        #expect(
            throws: LoadError.invalidSetting(
                "simulcast", reason: "simulcast needs WebRTC (--transport webrtc); plain transports do not support it")
        ) { try options { $0.plan.simulcast = true }.validPlan() }
    }

    @Test(arguments: [
        ("gcm", SRTPSuite.aeadAES128GCM), ("AEAD_AES_128_GCM", .aeadAES128GCM), ("cm32", .aesCM128HMACSHA1_32),
        ("aes_cm_128_hmac_sha1_80", .aesCM128HMACSHA1_80),
    ])
    func suitesGoByLongAndShortNames(name: String, suite: SRTPSuite) throws {
        #expect(try options { $0.suite = name }.validPlan().suite == suite)
    }

    @Test("Each participant of a full mesh subscribes to each other one of its session once, also if it is replaced")
    func fullMesh() throws {
        let plan = try options {
            $0.plan.sessions = 2
            $0.fullMesh = 4
        }.validPlan()
        #expect(plan.totalPublishers == 8)
        #expect(plan.totalSubscribers == 24)
        var taken: [Int: [Int]] = [:]
        for index in 0..<plan.totalSubscribers {
            let publisher = plan.publisher(ofSubscription: index)
            // Sessions alternate, and the subscriptions of a participant are consecutive.
            let subscriber = index % 2 * 4 + index / 2 / 3
            #expect(publisher / 4 == subscriber / 4)
            taken[subscriber, default: []].append(publisher)
            #expect(plan.publisher(ofSubscription: index + plan.totalSubscribers) == publisher)
        }
        for subscriber in 0..<8 {
            let session = subscriber / 4 * 4
            #expect(taken[subscriber] == (session..<session + 4).filter { $0 != subscriber })
        }
    }

    @Test("Without a full mesh the subscribers of a session take its publishers in turn")
    func publishersInTurn() throws {
        let plan = try options {
            $0.plan.sessions = 2
            $0.plan.publishers = 3
            $0.plan.subscribers = 4
        }.validPlan()
        #expect((0..<8).map { plan.publisher(ofSubscription: $0) } == [0, 3, 1, 4, 2, 5, 0, 3])
    }

    @Test func percentAndSecondsBecomeWhatThePlanCounts() throws {
        let plan = try options {
            $0.loss = 5
            $0.duration = 2.5
            $0.videoBitrate = 700
        }.validPlan()
        #expect(plan.loss == 0.05)
        #expect(plan.duration == .milliseconds(2_500))
        #expect(plan.videoBitrate == .kilobits(700))
    }

    @Test func webRTCIsChosenByNameOrByEndpoint() throws {
        #expect(try options { $0.transport = "WebRTC" }.validPlan().transport == .webRTC)
        let plan = try options {
            $0.embedded = false
            $0.whip = "https://a.example/in/{session}/{stream}"
            $0.whep = "https://a.example/out"
        }.validPlan()
        #expect(plan.transport == .webRTC)
        #expect(
            plan.target
                == .endpoints(whip: "https://a.example/in/{session}/{stream}", whep: "https://a.example/out"))
        let half = try options {
            $0.embedded = false
            $0.url = "127.0.0.1:7880/"
            $0.whip = "http://b/{stream}"
        }.validPlan()
        #expect(
            half.target == .endpoints(whip: "http://b/{stream}", whep: "http://127.0.0.1:7880/whep/{session}/{stream}"))
    }

    @Test func namesStandInTemplatesPercentEncoded() throws {
        let template = try EndpointTemplate("http://relay/{session}/x?s={stream}", option: "whip")
        #expect(template.expanded(session: "a b/ü", stream: "1&2") == "http://relay/a%20b%2F%C3%BC/x?s=1%262")
        #expect(throws: LoadError.self) { try EndpointTemplate("http:///x", option: "whip") }
    }

    @Test(arguments: ["ftp://127.0.0.1", "http://", "", "http:// x"])
    func addressesThatAreNotHTTPAreRefused(address: String) {
        #expect(throws: LoadError.self) { try HTTPRelay(address: address) }
    }
}
