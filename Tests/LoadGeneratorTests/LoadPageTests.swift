import Foundation
import MediaBase
import TestMedia
import Testing

@testable import LoadGenerator

@Suite("Report of a load run as HTML", .serialized) struct LoadPageTests {
    private func run(_ change: (inout LoadPlan) -> Void) async throws -> (LoadReport, LoadTimeline) {
        var plan = LoadPlan(target: .embedded)
        plan.subscribers = 2
        plan.ramp = .milliseconds(300)
        plan.duration = .seconds(2)
        change(&plan)
        let load = try LoadRun(plan: plan, relay: EmbeddedRelay())
        return (try await load.run { _ in }, load.timeline)
    }

    @Test("The timeline of a real run has the totals of the report, and the page a plot of each figure")
    func realRun() async throws {
        let format = try VideoFormat("320x180@15")
        let (report, timeline) = try await run { $0.video = format }
        let points = timeline.points
        #expect(points.count >= 2)
        #expect(points.last?.period.end.present == 2)
        #expect(points.last?.isMeasured == true)
        // The report includes packets up to the last one, after the last point.
        let received = points.reduce(0) { $0 + $1.period.growth(\.receivedPackets) }
        #expect(received > report.received.packets / 2)
        #expect(received <= report.received.packets)
        #expect(points.contains { $0.latency.count > 0 })
        let page = LoadPage(report, timeline).html
        #expect(page.components(separatedBy: "<svg class=\"plot\"").count == 9)
        #expect(page.components(separatedBy: "class=\"line s0\" d=\"M").count == 17)
        #expect(!page.contains("<script"))
        #expect(!page.contains("src="))
        #expect(!page.contains("http:"))
        #expect(!page.contains("https:"))
        #expect(page.contains("prefers-color-scheme: dark"))
    }

    @Test("A run without video has no plots of frames, and text of the run is escaped")
    func textIsEscaped() async throws {
        let (whole, timeline) = try await run { $0.duration = .seconds(1) }
        var report = whole
        #expect(LoadPage(report, timeline).html.components(separatedBy: "<svg class=\"plot\"").count == 6)
        report.settings.target = "<img src=x onerror=\"alert('1')\">&"
        report.failures = ["<b>"]
        let page = LoadPage(report, timeline).html
        #expect(!page.contains("<img"))
        #expect(page.contains("&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;"))
        #expect(page.contains("Failed: &lt;b&gt;"))
    }
}
