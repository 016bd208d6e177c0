import Foundation
import MillraceFuzzTargets
import Testing

/// Inputs found by a fuzzer, and inputs that once caused a crash, run without a fuzzer in each test run.
@Suite("Corpora of the fuzz targets") struct FuzzCorpusTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fuzz/Corpus")

    static func inputs(_ target: FuzzTarget) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: folder.appending(path: target.name), includingPropertiesForKeys: nil)
    }

    @Test("No input of a corpus crashes its target or breaks an invariant", arguments: FuzzTarget.all.map(\.name))
    func corpus(_ name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let inputs = try Self.inputs(target)
        #expect(!inputs.isEmpty, "the corpus is empty")
        for input in inputs {
            let bytes = try Data(contentsOf: input)
            do {
                // A copy of exactly this size, as a fuzzer allocates it.
                try Array(bytes).withUnsafeBytes { try target.run($0) }
            } catch {
                Issue.record("\(name)/\(input.lastPathComponent): \(error)")
            }
        }
    }

    @Test("Each corpus is small and belongs to a target") func sizes() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(names) == Set(FuzzTarget.all.map(\.name)))
        for target in FuzzTarget.all {
            let sizes = try Self.inputs(target).map { try Data(contentsOf: $0).count }
            #expect(sizes.count <= 120 && sizes.reduce(0, +) <= 300_000, "\(target.name): \(sizes.count) files")
        }
    }

}
