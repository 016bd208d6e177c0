import MediaBase
import Testing
import WebRTCClient

@Suite("LIV-1 candidates and ICE restarts of a WHIP push") struct PushPatchTests {
    private typealias Bench = PushBench

    private static let begun = ["restart \(Bench.resource)"]
    private static let abandoned = ["disconnect", "delete \(Bench.resource)"]

    private func connecting(tag: String? = "\"1\"") -> PushBench {
        var bench = PushBench()
        bench.start()
        bench.accept(tag: tag)
        _ = bench.takeLog()
        return bench
    }

    /// Returns a bench whose push has been live for some time.
    private func live(tag: String? = "\"1\"", for time: MediaTime = .seconds(60)) -> PushBench {
        var bench = connecting(tag: tag)
        bench.connect()
        bench.pass(time)
        return bench
    }

    /// Returns a bench whose push has lost its path and asked for an ICE restart.
    private func lost() -> PushBench {
        var bench = live()
        bench.losePath()
        _ = bench.takeLog()
        return bench
    }

    // MARK: candidates

    @Test("Candidates are sent once, with the entity-tag of the answer")
    func candidates() {
        var bench = connecting()
        bench.gather()
        #expect(bench.takeLog() == ["candidates \(Bench.resource) \"1\""])
        bench.gather()
        #expect(bench.takeLog() == [], "the first call has no answer yet")
        bench.connect()
        bench.answerCandidates(.success(PushAnswer(status: 204)))
        #expect(bench.takeLog() == [] && bench.reports == [.live] && bench.faults == 0)
    }

    @Test("The server's candidates in an answer are taken")
    func answeredCandidates() {
        var bench = connecting()
        bench.gather()
        _ = bench.takeLog()
        bench.answerCandidates(.success(PushAnswer(status: 200, body: [1])))
        #expect(bench.takeLog() == ["add"])
    }

    @Test(
        "Without a strong entity-tag neither candidates nor restarts are sent", arguments: [nil, "W/\"1\"", "1", "\""])
    func noTag(tag: String?) {
        var bench = connecting(tag: tag)
        bench.gather()
        bench.connect()
        bench.losePath()
        #expect(bench.takeLog() == Self.abandoned)
        #expect(bench.reports.last.map { if case .failed(.connectionLost, .some) = $0 { true } else { false } } == true)
    }

    @Test(
        "Refused candidates are not sent again and end nothing; ICE restarts are given up only with PATCH itself",
        arguments: [301, 400, 401, 403, 404, 405, 412, 415, 422, 428, 501] as [Int])
    func refusedCandidates(status: Int) {
        var bench = connecting()
        bench.gather()
        bench.connect()
        _ = bench.takeLog()
        bench.answerCandidates(.success(PushAnswer(status: status)))
        bench.gather()
        #expect(bench.takeLog() == [] && bench.machine.isLive)
        bench.losePath()
        #expect(bench.takeLog() == ([405, 501].contains(status) ? Self.abandoned : Self.begun))
        #expect(bench.faults == 0)
    }

    @Test("A server that fails, or does not answer, gets the next candidates")
    func failedCandidates() {
        var bench = connecting()
        bench.gather()
        bench.answerCandidates(.success(PushAnswer(status: 503)))
        bench.gather()
        bench.answerCandidates(.failure(.unreachable("timeout")))
        bench.gather()
        #expect(bench.candidates.count == 1 && bench.reports == [])
    }

    @Test("412 before the connection: the server has another ICE session, so that ICE is restarted")
    func mismatch() {
        var bench = connecting()
        bench.gather()
        _ = bench.takeLog()
        bench.answerCandidates(.success(PushAnswer(status: 412)))
        #expect(bench.takeLog() == Self.begun && !bench.machine.isLive)
        bench.acceptRestart()
        bench.restorePath()
        #expect(bench.takeLog() == ["resume"] && bench.reports == [])
        bench.connect()
        #expect(bench.reports == [.live] && bench.machine.isLive && bench.faults == 0)

        // The handshake ends before the server's answer, or before the first check is reported.
        for answersFirst in [false, true] {
            var other = connecting()
            other.gather()
            other.answerCandidates(.success(PushAnswer(status: 412)))
            if answersFirst { other.acceptRestart() }
            other.connect()
            #expect(other.reports == [.live] && other.machine.isLive)
            if !answersFirst { other.acceptRestart() }
            other.restorePath()
            #expect(other.machine.isLive && other.machine.deadline == .never && other.faults == 0)
        }
    }

    // MARK: restarts

    @Test("A lost path is restored with the same resource, whose next candidates carry the new entity-tag")
    func restart() {
        var bench = live()
        bench.losePath()
        #expect(bench.takeLog() == Self.begun && bench.machine.isLive)
        bench.pass(.seconds(2))
        bench.acceptRestart(tag: "\"2\"")
        #expect(bench.takeLog() == ["resume"])
        bench.pass(.seconds(1))
        bench.restorePath()
        #expect(bench.reports == [.live, .restarted] && bench.machine.deadline == .never)
        bench.gather()
        #expect(bench.takeLog() == ["candidates \(Bench.resource) \"2\""])
        bench.losePath()
        bench.acceptRestart()
        bench.restorePath()
        bench.stop()
        #expect(bench.takeLog() == Self.begun + ["resume"] + Self.abandoned)
        bench.answerCandidates(.success(PushAnswer(status: 204)))
        bench.answerDeletion()
        #expect(bench.machine.isEnded && bench.faults == 0)
    }

    @Test(
        "A server that refuses the restart gets a new offer",
        arguments: [204, 201, 301, 307, 400, 401, 403, 404, 405, 410, 412, 415, 422, 428, 501] as [Int])
    func refused(status: Int) {
        var bench = lost()
        bench.answerRestart(.success(PushAnswer(status: status, location: "https://other.example/", body: [1])))
        #expect(bench.takeLog() == Self.abandoned && !bench.machine.isLive)
        guard case .failed(.connectionLost, let wait?) = bench.reports.last else {
            Issue.record("\(bench.reports)")
            return
        }
        #expect((.seconds(1) ... .milliseconds(1_250)).contains(wait))
        bench.answerDeletion(.success(PushAnswer(status: 404)))
        bench.pass(bench.wait)
        #expect(bench.takeLog() == ["connect", "post \(Bench.url)"] && bench.faults == 0)
    }

    @Test("200 without a body, and no answer, are refusals as well")
    func unusable() {
        var empty = lost()
        empty.answerRestart(.success(PushAnswer(status: 200, tag: EntityTag("\"2\""))))
        #expect(empty.takeLog() == Self.abandoned)
        for failure in [PushFailure.unreachable("timeout"), .addressRefused("10.0.0.1"), .unusableURL("http:")] {
            var bench = lost()
            bench.answerRestart(.failure(failure))
            #expect(bench.takeLog() == Self.abandoned && !bench.machine.isEnded, "\(failure)")
        }
        // The connection cannot use the body.
        var malformed = lost()
        malformed.acceptRestart()
        malformed.fail(.unusableAnswer("no credentials"))
        #expect(malformed.takeLog() == ["resume"] + Self.abandoned)
    }

    @Test("A server that refuses for the moment is asked again", arguments: [409, 425, 429, 500, 503] as [Int])
    func temporary(status: Int) {
        var bench = lost()
        bench.answerRestart(.success(PushAnswer(status: status)))
        #expect(bench.takeLog() == [] && bench.wait == .seconds(1))
        bench.pass(.seconds(1))
        #expect(bench.takeLog() == Self.begun)
        bench.answerRestart(.success(PushAnswer(status: status, retryAfter: .seconds(5))))
        bench.pass(.seconds(5))
        #expect(bench.takeLog() == Self.begun)
        // The next attempt would be too late.
        bench.answerRestart(.success(PushAnswer(status: status, retryAfter: .seconds(6))))
        #expect(bench.takeLog() == Self.abandoned && bench.faults == 0)
    }

    @Test("A restart that does not restore the path in 12 s is followed by a new resource")
    func limit() {
        for isAnswered in [false, true] {
            var bench = lost()
            if isAnswered { bench.acceptRestart() }
            _ = bench.takeLog()
            #expect(bench.wait == .seconds(12))
            bench.pass(.milliseconds(11_999))
            #expect(bench.takeLog() == [])
            bench.pass(.milliseconds(1))
            #expect(bench.takeLog() == Self.abandoned)
            if !isAnswered { bench.acceptRestart() }
            bench.restorePath()
            #expect(bench.takeLog() == [] && !bench.machine.isLive && bench.faults == 0)
        }
    }

    @Test("A path that works again while the server is asked survives its refusal")
    func recovered() {
        for status in [405, 503] {
            var bench = lost()
            bench.restorePath()
            #expect(bench.takeLog() == [])
            bench.answerRestart(.success(PushAnswer(status: status)))
            #expect(bench.takeLog() == ["abandon"] && bench.machine.isLive && bench.reports == [.live])
            bench.losePath()
            #expect(bench.takeLog() == (status == 405 ? Self.abandoned : Self.begun))
        }
        // No answer at all; and a path that is lost again before the answer.
        var silent = lost()
        silent.restorePath()
        silent.pass(.seconds(12))
        #expect(silent.takeLog() == ["abandon"] && silent.machine.isLive)
        var again = lost()
        again.restorePath()
        again.losePath()
        again.answerRestart(.success(PushAnswer(status: 405)))
        #expect(again.takeLog() == Self.abandoned)
        // It works again while the machine waits to ask once more.
        var waiting = lost()
        waiting.answerRestart(.success(PushAnswer(status: 503)))
        waiting.restorePath()
        #expect(waiting.takeLog() == ["abandon"] && waiting.machine.deadline == .never && waiting.faults == 0)
    }

    @Test("A restart that the server took continues, although the previous path works again")
    func recoveredTooLate() {
        var bench = lost()
        bench.restorePath()
        bench.acceptRestart()
        #expect(bench.takeLog() == ["resume"])
        bench.pass(.seconds(12))
        #expect(bench.takeLog() == Self.abandoned)
    }

    @Test("A changed network restarts ICE, and does not end a push whose server takes no restart")
    func network() {
        var bench = live()
        bench.changeNetwork()
        #expect(bench.takeLog() == Self.begun)
        bench.answerRestart(.success(PushAnswer(status: 422)))
        #expect(bench.takeLog() == ["abandon"] && bench.machine.isLive)
        bench.changeNetwork()
        #expect(bench.takeLog() == [])

        var without = live(tag: nil)
        without.changeNetwork()
        #expect(without.takeLog() == [] && without.machine.isLive)
    }

    @Test("A network that changes during a restart begins another one; only the last answer counts")
    func overlapping() {
        var bench = lost()
        bench.pass(.seconds(3))
        bench.changeNetwork()
        #expect(bench.takeLog() == Self.begun && bench.wait == .seconds(9))
        bench.answerRestart(.success(PushAnswer(status: 200, tag: EntityTag("\"old\""), body: [1])), isFirst: true)
        #expect(bench.takeLog() == [])
        bench.acceptRestart(tag: "\"new\"")
        bench.changeNetwork()
        bench.acceptRestart(tag: "\"newest\"")
        #expect(bench.takeLog() == ["resume"] + Self.begun + ["resume"])
        bench.restorePath()
        bench.gather()
        #expect(bench.takeLog() == ["candidates \(Bench.resource) \"newest\""] && bench.faults == 0)
        // A second loss while the server is asked changes nothing.
        bench.losePath()
        bench.losePath()
        #expect(bench.takeLog() == Self.begun)
    }

    @Test("The answer to candidates of the ICE session before a restart has no effect")
    func lateCandidates() {
        var bench = connecting()
        bench.gather()
        bench.connect()
        bench.losePath()
        _ = bench.takeLog()
        bench.answerCandidates(.success(PushAnswer(status: 200, body: [1])))
        #expect(bench.takeLog() == [])
        bench.acceptRestart()
        bench.restorePath()
        bench.gather()
        #expect(bench.candidates.count == 1)
    }

    @Test("Stopped, renewed or ended while ICE restarts: the resource is deleted, and a late answer has no effect")
    func interrupted() {
        for isAnswered in [false, true] {
            var stopped = lost()
            var renewed = lost()
            var ended = lost()
            if isAnswered {
                stopped.acceptRestart()
                renewed.acceptRestart()
                ended.acceptRestart()
            }
            _ = (stopped.takeLog(), renewed.takeLog(), ended.takeLog())
            stopped.stop()
            renewed.renew()
            ended.fail()
            #expect(stopped.takeLog() == Self.abandoned && renewed.takeLog() == Self.abandoned)
            #expect(ended.takeLog() == Self.abandoned && ended.wait > .seconds(100) && !ended.machine.isLive)
            if !isAnswered {
                stopped.acceptRestart()
                renewed.acceptRestart()
                ended.acceptRestart()
            }
            stopped.restorePath()
            renewed.restorePath()
            ended.losePath()
            stopped.answerDeletion()
            renewed.answerDeletion()
            ended.answerDeletion()
            #expect(stopped.machine.isEnded && stopped.takeLog() == [])
            renewed.pass(renewed.wait)
            ended.pass(ended.wait)
            #expect(renewed.takeLog() == ["connect", "post \(Bench.url)"] && renewed.reports == [.live])
            #expect(ended.takeLog() == ["connect", "post \(Bench.url)"])
            #expect(stopped.faults + renewed.faults + ended.faults == 0)
        }
    }

    @Test("A path that is lost soon after the connection lets the waits grow, also after a restart")
    func unsettled() {
        var bench = live(for: .seconds(1))
        bench.losePath()
        bench.answerRestart(.success(PushAnswer(status: 404)))
        bench.answerDeletion()
        bench.pass(bench.wait)
        bench.accept(tag: "\"1\"")
        bench.connect()
        bench.losePath()
        bench.answerRestart(.success(PushAnswer(status: 404)))
        bench.answerDeletion()
        #expect(bench.wait >= .seconds(2))
    }
}
