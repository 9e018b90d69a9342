"""What filters.bats says of the flows that went by."""
import json

from flows import assert_hooks, groups_at
from run import histogram


def all_are_filtered_by(run, flows, fact):
    for hook in assert_hooks(run.total, {fact}):
        shown = histogram(run.total, hook)
        everything, _ = groups_at(hook, flows)
        assert not shown["count"] and shown["discarded"]["filtered"] == sum(everything.values()), shown


def add_up_to(run, _, everything):
    """What passed and what was filtered, to what one without filters counted, also where the flows do not tell."""
    everything = json.loads(open(everything).readlines()[-1])
    for hook in "tcp-do-rcv", "tcp-data-queue":
        ours, all_of_it = histogram(run.total, hook), histogram(everything, hook)["count"]
        print(hook, ours["count"], "and filtered", ours["discarded"]["filtered"])
        assert 0 < ours["count"] < all_of_it == ours["count"] + ours["discarded"]["filtered"]
