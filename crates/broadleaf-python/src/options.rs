//! Options that questions share: which objects they are about, and the work they take.

use crate::input::{Column, Ids, as_array, booleans};
use crate::refusal::bad;
use crate::threads::ThreadCount;
use broadleaf::{Handle, Mobility};
use numpy::PyUntypedArrayMethods;
use pyo3::prelude::*;

/// The value that a word stands for.
pub(crate) fn word<T: Copy>(argument: &str, given: &str, words: &[(&str, T)]) -> PyResult<T> {
    if let Some((_, value)) = words.iter().find(|(word, _)| *word == given) {
        return Ok(*value);
    }
    let words: Vec<String> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
    Err(bad(argument, format!("{} are known, but not {given:?}", words.join(", "))).into())
}

/// The work that questions took; hand one to a question and it is added to.
///
/// The same questions take the same work, whatever the machine.
#[pyclass(module = "broadleaf", get_all, set_all)]
#[derive(Default)]
pub(crate) struct QueryStats {
    /// Nodes whose children were tested, eight at a time.
    nodes_visited: u64,
    /// Objects tested, eight at a time.
    objects_tested: u64,
    /// Answers handed out.
    hits: u64,
}

#[pymethods]
impl QueryStats {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    fn __repr__(&self) -> String {
        let Self { nodes_visited, objects_tested, hits } = self;
        format!("QueryStats(nodes_visited={nodes_visited}, objects_tested={objects_tested}, hits={hits})")
    }
}

impl QueryStats {
    pub(crate) fn add(&mut self, work: broadleaf::QueryStats) {
        self.nodes_visited += work.nodes_visited;
        self.objects_tested += work.objects_tested;
        self.hits += work.hits;
    }
}

/// Adds work to what the caller counts, if it does.
pub(crate) fn count(py: Python<'_>, stats: Option<&Py<QueryStats>>, work: broadleaf::QueryStats) -> PyResult<()> {
    if let Some(stats) = stats {
        stats.try_borrow_mut(py)?.add(work);
    }
    Ok(())
}

/// Which objects a question is about, and who works.
pub(crate) struct Options {
    pub(crate) layers: Option<u32>,
    pub(crate) only: Option<Mobility>,
    /// No handle excludes no object.
    pub(crate) exclude: Option<Column<Option<Handle>>>,
    pub(crate) accept: Option<Vec<bool>>,
    pub(crate) threads: ThreadCount,
    pub(crate) stats: Option<Py<QueryStats>>,
}

/// The options as Python gives them.
pub(crate) struct GivenOptions<'a, 'py> {
    pub(crate) layers: Option<u32>,
    pub(crate) only: Option<&'a str>,
    pub(crate) exclude: Option<&'a Bound<'py, PyAny>>,
    pub(crate) accept: Option<&'a Bound<'py, PyAny>>,
    pub(crate) threads: usize,
    pub(crate) stats: Option<Py<QueryStats>>,
}

impl GivenOptions<'_, '_> {
    /// The options of so many questions.
    pub(crate) fn check(self, questions: usize) -> PyResult<Options> {
        let Self { layers, only, exclude, accept, threads, stats } = self;
        let only = match only {
            None => None,
            Some(only) => Some(word("only", only, &[("static", Mobility::Static), ("moving", Mobility::Moving)])?),
        };
        let exclude = exclude.map(|ids| excluded(ids, questions)).transpose()?;
        let accept = accept.map(|accept| booleans(accept, "accept")).transpose()?.map(|(accept, _)| accept);
        Ok(Options { layers, only, exclude, accept, threads: ThreadCount::new(threads), stats })
    }
}

fn excluded(ids: &Bound<'_, PyAny>, questions: usize) -> PyResult<Column<Option<Handle>>> {
    let ids = as_array(ids, "exclude")?;
    let is_one = ids.ndim() == 0;
    let given = Ids::of(&ids, "exclude", 1)?;
    let handles = given.borrow()?.optional_handles()?;
    if is_one {
        return Ok(Column::One(handles[0]));
    }
    if handles.len() == questions {
        return Ok(Column::Each(handles));
    }
    Err(bad("exclude", format!("{} ids, but {questions} questions", handles.len())).into())
}

impl Options {
    /// Whether the batches of the library know all options.
    pub(crate) fn fit_batches(&self) -> bool {
        self.exclude.is_none() && self.accept.is_none()
    }

    pub(crate) fn counts(&self) -> bool {
        self.stats.is_some()
    }
}

/// Whether a mask by slot accepts an object; not so beyond its end.
pub(crate) fn accepts(mask: &[bool], handle: Handle) -> bool {
    mask.get(handle.slot() as usize).copied().unwrap_or(false)
}

/// Gives a question its options, and runs code with it.
macro_rules! with_options {
    ($query:expr, $options:expr, $question:expr, $work:expr, $asked:ident => $body:expr) => {{
        let options: &$crate::options::Options = $options;
        let mut query = $query;
        if let Some(layers) = options.layers {
            query = query.layers(layers);
        }
        if let Some(only) = options.only {
            query = query.only(only);
        }
        if let Some(handle) = options.exclude.as_ref().and_then(|exclude| exclude.get($question)) {
            query = query.exclude(handle);
        }
        if options.counts() {
            query = query.stats($work);
        }
        match &options.accept {
            None => {
                let $asked = query;
                $body
            }
            Some(mask) => {
                let $asked = query.filter(|handle| $crate::options::accepts(mask, handle));
                $body
            }
        }
    }};
}
pub(crate) use with_options;

/// Gives a batch its options.
macro_rules! with_batch_options {
    ($queries:expr, $options:expr, $threads:expr, $work:expr) => {{
        let options: &$crate::options::Options = $options;
        let mut queries = $queries.threads($threads);
        if let Some(layers) = options.layers {
            queries = queries.layers(layers);
        }
        if let Some(only) = options.only {
            queries = queries.only(only);
        }
        if options.counts() {
            queries = queries.stats($work);
        }
        queries
    }};
}
pub(crate) use with_batch_options;

/// The offsets of a batch's answers.
pub(crate) fn offsets_of<T>(batch: &broadleaf::Batch<T>) -> Vec<i64> {
    #[expect(clippy::cast_possible_wrap, reason = "a length fits")]
    std::iter::once(0).chain(batch.ranges().iter().map(|range| range.end as i64)).collect()
}
