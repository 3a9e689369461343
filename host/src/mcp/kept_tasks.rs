//! The calls of a session that have become tasks: each with its result until somebody has had time to fetch it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{CallToolResult, DetailedTask, ErrorData, InputResponses, Task};
use rmcp::task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions};

/// How long a result is kept after the task's end.
const AFTER: Duration = Duration::from_secs(60 * 60);

/// How many results, and how many bytes of them, a session keeps; the latest is kept whatever its size.
const MOST: usize = 256;
const MOST_BYTES: usize = 32 << 20;

/// The tasks of one session.
#[derive(Clone, Default)]
pub(super) struct Tasks(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    /// A manager for each: one for all would keep results for as long as it lets tasks run.
    managers: BTreeMap<String, TaskManager>,
    /// Those that have ended, the first first.
    ended: VecDeque<Ended>,
}

struct Ended {
    id: String,
    at: Instant,
    lived: Duration,
    bytes: usize,
}

/// Records a task's end when it is dropped: a task that is given up before it has a result has ended too.
struct End {
    tasks: Tasks,
    id: String,
    begun: Instant,
    bytes: usize,
}

impl End {
    /// Records the end with this result.
    fn with(mut self, result: Option<&CallToolResult>) {
        let text = result.and_then(|result| serde_json::to_string(result).ok());
        self.bytes = text.map_or(0, |text| text.len());
    }
}

impl Drop for End {
    fn drop(&mut self) {
        let (at, lived) = (Instant::now(), self.begun.elapsed());
        let ended = Ended { id: std::mem::take(&mut self.id), at, lived, bytes: self.bytes };
        self.tasks.lock().end(ended);
    }
}

impl Tasks {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a task.
    pub(super) fn spawn<F>(&self, options: TaskOptions, make: impl FnOnce(TaskContext) -> F) -> Task
    where
        F: Future<Output = Result<CallToolResult, TaskExit>> + Send + 'static,
    {
        let (tasks, begun, manager) = (self.clone(), Instant::now(), TaskManager::new());
        manager.spawn(options, |context| {
            let id = context.task_id().to_owned();
            // Before the task begins, so before it can end.
            tasks.lock().managers.insert(id.clone(), manager.clone());
            let end = End { tasks, id, begun, bytes: 0 };
            let work = make(context);
            Box::pin(async move {
                let result = work.await;
                end.with(result.as_ref().ok());
                result
            })
        })
    }

    /// How a task stands.
    pub(super) fn get(&self, id: &str) -> Result<DetailedTask, ErrorData> {
        let mut kept = self.lock();
        let mut task = kept.manager(id)?.get_task(id)?;
        if let Some(ended) = kept.ended.iter().find(|ended| ended.id == id) {
            task.task.ttl_ms = u64::try_from((ended.lived + AFTER).as_millis()).ok();
        }
        Ok(task)
    }

    pub(super) fn update(&self, id: &str, answers: InputResponses) -> Result<(), ErrorData> {
        self.lock().manager(id)?.update_task(id, answers)
    }

    pub(super) fn cancel(&self, id: &str) -> Result<(), ErrorData> {
        self.lock().manager(id)?.cancel_task(id)
    }

    /// Ends all tasks, and forgets them.
    pub(super) fn shutdown(&self) {
        let Kept { managers, .. } = std::mem::take(&mut *self.lock());
        for manager in managers.into_values() {
            manager.shutdown();
        }
    }
}

impl Kept {
    fn manager(&mut self, id: &str) -> Result<&TaskManager, ErrorData> {
        self.forget();
        self.managers.get(id).ok_or_else(|| ErrorData::invalid_params(format!("unknown task: {id}"), None))
    }

    fn end(&mut self, ended: Ended) {
        self.ended.push_back(ended);
        self.forget();
    }

    /// Forgets what is kept for too long already, or too much.
    fn forget(&mut self) {
        let mut bytes: usize = self.ended.iter().map(|ended| ended.bytes).sum();
        while let Some(first) = self.ended.front() {
            let too_much = self.ended.len() > 1 && (self.ended.len() > MOST || bytes > MOST_BYTES);
            if !too_much && first.at.elapsed() < AFTER {
                return;
            }
            bytes -= first.bytes;
            self.managers.remove(&first.id);
            self.ended.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{ContentBlock, TaskStatus};

    use super::*;

    async fn ended(tasks: &Tasks, bytes: usize) -> String {
        let result = CallToolResult::success(vec![ContentBlock::text("x".repeat(bytes))]);
        let id = tasks.spawn(TaskOptions::new(), |_| async move { Ok(result) }).task_id;
        while tasks.get(&id).unwrap().task.status == TaskStatus::Working {
            tokio::task::yield_now().await;
        }
        id
    }

    #[tokio::test]
    async fn the_first_results_are_forgotten_first_and_the_latest_is_kept_whatever_its_size() {
        let tasks = Tasks::default();
        let small = ended(&tasks, 10).await;
        let half = ended(&tasks, MOST_BYTES / 2).await;
        assert!(tasks.get(&small).unwrap().task.ttl_ms.unwrap() >= 3_600_000);
        let running = tasks.spawn(TaskOptions::new(), |_| std::future::pending()).task_id;
        let large = ended(&tasks, MOST_BYTES + 1).await;
        assert!(tasks.get(&small).is_err() && tasks.get(&half).is_err());
        assert!(tasks.get(&large).is_ok() && tasks.get(&running).is_ok());
        for _ in 0..MOST {
            ended(&tasks, 1).await;
        }
        assert!(tasks.get(&large).is_err() && tasks.get(&running).is_ok());
        assert_eq!(tasks.lock().managers.len(), MOST + 1);
        tasks.shutdown();
        assert!(tasks.get(&running).is_err());
    }

    #[tokio::test]
    async fn a_task_that_is_given_up_is_forgotten_like_one_that_has_a_result() {
        let tasks = Tasks::default();
        let id = tasks.spawn(TaskOptions::new().with_ttl_ms(0), |_| std::future::pending()).task_id;
        // Asking has the manager see that its time is over.
        assert!(tasks.get(&id).is_err());
        while tasks.lock().ended.is_empty() {
            tokio::task::yield_now().await;
        }
        for _ in 0..MOST {
            ended(&tasks, 1).await;
        }
        assert_eq!(tasks.lock().managers.len(), MOST);
    }
}
