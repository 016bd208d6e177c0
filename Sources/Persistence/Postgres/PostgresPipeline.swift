/// Statements of a connection whose results have not been read.
struct PostgresPipeline {
    /// Names of the prepared statements, by their SQL.
    var names: [String: String] = [:]
    /// SQL of the statements that are prepared by this pipeline, so not yet for certain.
    var new: [String] = []
    var lastName = 0
    /// For each queued command, whether it is a statement; otherwise it prepares one.
    var isStatement: [Bool] = []
}
