import Conference
import MediaBase
import Signaling
import Testing

@Suite("E2E-1 E2E-2 sessions that require end-to-end encryption") struct EncryptionTests {
    private static func camera(isEncrypted: Bool?) -> PublishRequest.Stream {
        PublishRequest.Stream(name: "camera", audioMid: "0", videoMid: "1", isEncrypted: isEncrypted)
    }

    @Test("The first join decides; streams without encryption are refused, also those of publishers without signalling")
    func required() throws {
        let world = try World()
        let ada = try world.join(requiresEncryption: true)
        #expect(world.conference.requiresEncryption)
        let bob = try world.join()
        #expect(code { try world.join(kind: .publisher) } == .encryptionRequired)
        for sender in [ada, bob] {
            #expect(code { _ = try world.prepare([Self.camera(isEncrypted: nil)], sender) } == .encryptionRequired)
            #expect(code { _ = try world.prepare([Self.camera(isEncrypted: false)], sender) } == .encryptionRequired)
        }
        let plan = try world.prepare([Self.camera(isEncrypted: true)], ada)
        world.confirm(plan)
        world.announce(plan)
        #expect(world.conference.streams.map(\.isEncrypted) == [true])
        #expect(world.violations() == [])
    }

    @Test("A session that began without required encryption refuses a client that requires it")
    func tooLate() throws {
        let world = try World()
        try world.join()
        #expect(code { try world.join(requiresEncryption: true) } == .encryptionRequired)
        let ada = try world.join()
        #expect(!world.conference.requiresEncryption)
        let plan = try world.prepare([Self.camera(isEncrypted: true)], ada)
        world.confirm(plan)
        world.announce(plan)
        // A stream keeps the encryption that it began with.
        var again = Self.camera(isEncrypted: nil)
        again.id = plan.streams[0].id
        #expect(code { _ = try world.prepare([again], ada) } == .invalidField)
        #expect(world.violations() == [])
    }

    @Test("E2E-3 a client's public key is announced to all, and other texts are refused")
    func publicKeys() throws {
        let world = try World()
        let key = String(repeating: "A", count: 43) + "="
        let ada = try world.join()
        let bob = try world.join(e2eeKey: key)
        // Joins within 100 ms are reported together.
        world.pass(.milliseconds(100))
        world.deliver(ada)
        #expect(world.clients[ada]?.users.first { $0.id == bob }?.e2eeKey == key)
        #expect(world.clients[bob]?.users.first { $0.id == bob }?.e2eeKey == key)
        #expect(world.clients[bob]?.users.first { $0.id == ada }?.e2eeKey == nil)
        for text in ["", "=", String(repeating: "A", count: 44), String(repeating: "!", count: 43) + "=", key + key] {
            #expect(code { try world.join(e2eeKey: text) } == .invalidField)
        }
        #expect(world.violations() == [])
    }

    @Test("A reservation requires encryption for everyone, and a client may require it on top")
    func reserved() throws {
        let world = try World(reservation: Reservation(requiresEncryption: true, expires: .seconds(60)))
        let ada = try world.join()
        #expect(code { _ = try world.prepare([Self.camera(isEncrypted: nil)], ada) } == .encryptionRequired)
        let other = try World(reservation: Reservation(expires: .seconds(60)))
        #expect(code { try other.join(kind: .publisher, requiresEncryption: true) } == .encryptionRequired)
        let bob = try other.join(requiresEncryption: true)
        #expect(code { _ = try other.prepare([Self.camera(isEncrypted: nil)], bob) } == .encryptionRequired)
    }

    @Test("A refused publisher without signalling leaves a reserved session with its password and encryption")
    func refusedFirst() throws {
        let world = try World(
            reservation: Reservation(password: "pear", requiresEncryption: true, expires: .seconds(60)))
        #expect(code { try world.join(kind: .publisher, password: "plum") } == .passwordWrong)
        #expect(code { try world.join(kind: .publisher, password: "pear") } == .encryptionRequired)
        #expect(!world.conference.isEnded && !world.conference.isForgettable)
        #expect(code { try world.join() } == .passwordNeeded)
        try world.join(password: "pear")
        #expect(world.conference.requiresEncryption && world.conference.hasPassword)
        #expect(world.violations() == [])
    }
}
