//! The ceiling of running jobs.

use serde_json::json;
use shellward::HostLimits;
use shellward_tests::{HOSTILE, Project, Survivors};

#[tokio::test]
async fn no_more_jobs_run_than_policy_or_host_allow() {
    for (at_most, host_limit) in [(10, 256), (1000, 10)] {
        let project = Project::new();
        let limits = HostLimits { running_jobs: host_limit, ..HostLimits::default() };
        let host = project.builder(HOSTILE).limits(limits).build().unwrap();
        let survivors = Survivors::new();
        let arguments = json!({
            "do": "background", "command": format!("exec sleep {}", survivors.mark()), "at_most": at_most
        });
        let calls: Vec<_> = (0..200)
            .map(|_| {
                let (caller, arguments) = (host.caller(), arguments.clone());
                tokio::spawn(async move { caller.call("one", "hostile", arguments).await })
            })
            .collect();
        let mut started = 0;
        for call in calls {
            let reply = call.await.unwrap();
            if reply.is_error {
                assert!(reply.text.contains("TooMany(10)"), "{}", reply.text);
            } else {
                started += 1;
            }
        }
        assert_eq!((started, host.running_jobs()), (10, 10));
        survivors.wait_for(10);
        host.shutdown().await;
        survivors.wait_for(0);
    }
}
