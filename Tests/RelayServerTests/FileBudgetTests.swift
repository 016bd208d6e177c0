import Testing

@testable import RelayServer

@Suite("Open files of the process")
struct FileBudgetTests {
    private var configuration: RelayConfiguration {
        var configuration = RelayConfiguration()
        configuration.mediaWorkers = 2
        return configuration
    }

    @Test(
        "A quarter of the files, at least 256, are reserved, and one address gets a quarter of the connections",
        arguments: [
            (1_024, 256, 96, 576, 144),
            (320, 256, 8, 48, 12), (512, 256, 32, 192, 48), (4_096, 1_024, 384, 2_304, 576),
            (20_000, 5_000, 1_024, 4_096, 1_024), (1_048_576, 262_144, 1_024, 4_096, 1_024),
        ])
    func shares(limit: Int, reserved: Int, media: Int, connections: Int, address: Int) throws {
        let budget = try FileBudget(limit: limit, configuration: configuration)
        #expect(budget.reserved == reserved && budget.mediaConnectionsPerWorker == media)
        #expect(budget.connections == connections && budget.connectionsPerAddress == address)
        #expect(budget.reserved + 2 * budget.mediaConnectionsPerWorker + budget.connections <= limit)
        #expect(budget.ceiling > budget.connections + 2 * budget.mediaConnectionsPerWorker && budget.ceiling < limit)
    }

    @Test("A limit without space for connections is an error that names both numbers", arguments: [0, 256, 319])
    func tooFew(limit: Int) {
        #expect(throws: RelayError.openFiles(limit: limit, needed: 320)) {
            try FileBudget(limit: limit, configuration: configuration)
        }
    }

    @Test("Without ICE over TCP, HTTP gets its share of the files")
    func withoutTCP() throws {
        var configuration = configuration
        configuration.webRTCTCP = false
        let budget = try FileBudget(limit: 1_024, configuration: configuration)
        #expect(budget.mediaConnectionsPerWorker == 0 && budget.connections == 768)
    }

    @Test("An explicit limit for one address has priority", arguments: [1, 300, 5_000])
    func explicit(wanted: Int) throws {
        var configuration = configuration
        configuration.httpConnectionsPerAddress = wanted
        #expect(try FileBudget(limit: 1_024, configuration: configuration).connectionsPerAddress == wanted)
    }

    @Test("millrace doctor reports the limit and what it allows")
    func doctor() {
        let doctor = Doctor(configuration: configuration)
        #expect(doctor.openFiles(limit: 100).level == .fail)
        let low = doctor.openFiles(limit: 1_024)
        #expect(low.level == .warn && low.advice != nil)
        #expect(low.detail.contains("576 connections") && low.detail.contains("256 files reserved"))
        let high = doctor.openFiles(limit: 20_000)
        #expect(high.level == .ok && high.detail.contains("1024 of one address"), "\(high.detail)")
    }
}
