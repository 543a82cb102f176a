"""What stands between a job and its ports: the policy, the last look at commits, concealed secrets."""
