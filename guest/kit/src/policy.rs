//! The five functions of a policy, and the macro that makes a component of them.

use crate::contract::{Answer, Event, Job, Manifest, Reply, Request, SettingsError, Step, ToolCall, Verdict};
use crate::host::Host;

/// A policy: decides calls, moves the jobs' state machine and words the answers.
///
/// It keeps nothing between two calls of these functions; what it must remember of a job stands in the job's memo.
pub trait Policy {
    /// Says who the policy is and what it offers, or refuses the settings.
    fn describe(settings: &str) -> Result<Manifest, Vec<SettingsError>>;

    /// Judges a text without running anything.
    fn review<H: Host>(host: &H, request: &Request) -> Verdict;

    /// Decides a tool call.
    fn call<H: Host>(host: &H, call: &ToolCall) -> Answer;

    /// Moves a job's state machine by one event.
    fn advance<H: Host>(host: &H, job: &Job, event: &Event) -> Step;

    /// Words the answer to a call that waited on a job.
    fn settle<H: Host>(host: &H, call: &ToolCall, job: &Job) -> Reply;
}

/// Exports a [`Policy`] as the component's `rules` and `conduct`; on other targets it expands to nothing.
#[macro_export]
macro_rules! export_policy {
    ($policy:ty) => {
        #[cfg(target_family = "wasm")]
        mod component {
            use $crate::bindings::exports::shellward::policy::{conduct, rules};
            use $crate::contract as c;
            use $crate::{Imports, Policy};

            struct Component;

            impl rules::Guest for Component {
                fn describe(settings: String) -> Result<c::Manifest, Vec<c::SettingsError>> {
                    <$policy as Policy>::describe(&settings)
                }

                fn review(request: c::Request) -> c::Verdict {
                    <$policy as Policy>::review(&Imports, &request)
                }
            }

            impl conduct::Guest for Component {
                fn call(call: c::ToolCall) -> c::Answer {
                    <$policy as Policy>::call(&Imports, &call)
                }

                fn advance(job: c::Job, event: c::Event) -> c::Step {
                    <$policy as Policy>::advance(&Imports, &job, &event)
                }

                fn settle(call: c::ToolCall, job: c::Job) -> c::Reply {
                    <$policy as Policy>::settle(&Imports, &call, &job)
                }
            }

            $crate::bindings::export_bindings!(Component with_types_in $crate::bindings);
        }
    };
}
