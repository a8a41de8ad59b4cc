"""Real logs of others, where the folder of shared data is there: what `lockstep report
--json` says of each is what its row of INDEX.md says, within the rounding of that row. Where it is
not, a comment says which number is ours and why; such a value was computed from the file apart from
the program.

One row a value: ROWS. A row is a test of its own; without the folder all are skipped, and
counted. No value comes from the program's output.

The program is named by LOCKSTEP_PROGRAM, its tests' folder by LOCKSTEP_TESTS."""
import json
import math
import os
import subprocess
import unittest

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
HERE = os.environ.get("LOCKSTEP_TESTS", os.path.dirname(os.path.abspath(__file__)))
SHARED = os.path.join(HERE, "..", "..", "shared", "data")

# (file, options, what, value, tolerance)
#
# file       below the folder; several separated by blanks
# options    of `lockstep report`, separated by blanks; a list when one has blanks in it
# what       a path into the JSON report, with '.' between keys: "steps.complete", and
#              per_rank[0].slowdown_median    of the object whose "rank" is 0
#              verdicts[straggler].rank       whose "kind" is "straggler"
#              verdicts[spike 9870].slowdown  and whose "from_step" is 9870
#              logs[mllog].counts.doubled     whose "name" is "mllog"
#              logs[deepspeed].values[comm all_reduce].median
#              values#                        how many there are
# value      what INDEX.md says: a number, a text, True, False, None (null or not there)
# tolerance  of a number: half of the last digit that INDEX.md gives; 0: exactly
AR_MAP = ("--map rank=rank,step=step,forward=forward_s,backward=backward_s,step_time=end_s,"
          "group=stage")

ROWS = [
    # bytedance: its sums a rank and step as any JSON lines, by a map
    ("bytedance-straggleranalysis/AR.lockstep.jsonl", "", "source.records", 704, 0),
    # The index has 2.33 there and 2.355 of the sums over all steps; ours is the median over the
    # steps of forward + backward over their median over all ranks, which is 2.3497.
    ("bytedance-straggleranalysis/AR.lockstep.jsonl", "", "per_rank[0].slowdown_median", 2.3497, 0.00005),
    ("bytedance-straggleranalysis/AR.lockstep.jsonl", "", "per_rank[48].slowdown_median", 1.0477, 0.00005), # nobody else over 1.06
    ("bytedance-straggleranalysis/AR.lockstep.jsonl", "", "per_rank#", 16, 0),
    ("bytedance-straggleranalysis/AR.lockstep.jsonl", "", "verdicts[straggler].rank", 0, 0),
    # The index takes the last rank's end of a step, 46.666 s (least 45.978, most 47.010); ours is
    # the median over the ranks, who do not begin at the same moment: 46.6300 (45.9413, 46.9734).
    ("bytedance-straggleranalysis/AR.lockstep.jsonl", "", "step_time_s.median", 46.63003, 0.00001),
    ("bytedance-straggleranalysis/AR.lockstep.jsonl", "", "step_time_s.min", 45.94127, 0.00001),
    ("bytedance-straggleranalysis/AR.lockstep.jsonl", "", "step_time_s.max", 46.97340, 0.00001),
    ("bytedance-straggleranalysis/AR.lockstep.jsonl", "", "what_if[0].without_s", 21.6, 0.1),
    ("bytedance-straggleranalysis/AR.lockstep.jsonl", "", "what_if[0].lower_bound", True, 0),
    ("bytedance-straggleranalysis/ST.lockstep.jsonl", "", "per_rank[6].slowdown_median", 1.6161, 0.00005),
    ("bytedance-straggleranalysis/ST.lockstep.jsonl", "", "per_rank[7].slowdown_median", 1.6279, 0.00005),
    ("bytedance-straggleranalysis/ST.lockstep.jsonl", "", "per_rank#", 8, 0),
    ("bytedance-straggleranalysis/ST.lockstep.jsonl", "", "verdicts[group].group", "stage3", 0),
    ("bytedance-straggleranalysis/ST.lockstep.jsonl", "", "verdicts[straggler].rank", None, 0),
    ("bytedance-straggleranalysis/AR_rank_step.derived.jsonl", AR_MAP, "source.records", 704, 0),
    ("bytedance-straggleranalysis/AR_rank_step.derived.jsonl", AR_MAP, "steps.complete", 44, 0),
    ("bytedance-straggleranalysis/AR_rank_step.derived.jsonl", AR_MAP, "verdicts[straggler].rank",
     0, 0),
    ("bytedance-straggleranalysis/AR_rank_step.derived.jsonl", AR_MAP,
     "per_rank[0].slowdown_median", 2.3497, 0.00005),
    ("bytedance-straggleranalysis/AR_rank_step.derived.jsonl", AR_MAP, "step_time_s.median",
     46.63003, 0.00001),
    ("bytedance-straggleranalysis/ST_rank_step.derived.jsonl", AR_MAP, "source.records", 256, 0),
    ("bytedance-straggleranalysis/ST_rank_step.derived.jsonl", AR_MAP, "verdicts[group].group",
     "3", 0),
    ("bytedance-straggleranalysis/ST_rank_step.derived.jsonl", AR_MAP,
     "per_rank[6].slowdown_median", 1.6161, 0.00005),
    ("bytedance-straggleranalysis/ST_rank_step.derived.jsonl", AR_MAP,
     "per_rank[7].slowdown_median", 1.6279, 0.00005),
    ("bytedance-straggleranalysis/ST_rank_step.derived.jsonl", AR_MAP, "steps.complete", 32, 0),
    # bigscience, lumi, stark, primus: iteration lines of Megatron's family. Its DeepSpeed on 16
    # and 64 V100: a mean of 10 in the oldest, phases as one rank saw them
    ("bigscience/bloom176b_chronicle_lines.log", "", "source.records", 24, 0),
    ("bigscience/bloom176b_chronicle_lines.log", "", "source.duplicate", 5, 0),
    ("bigscience/bloom176b_chronicle_lines.log", "", "steps.first", 2, 0),
    ("bigscience/bloom176b_chronicle_lines.log", "", "steps.last", 45000, 0),
    ("bigscience/bloom176b_chronicle_lines.log", "", "logs[megatron].values[TFLOP/s a GPU].count", 19, 0),
    ("bigscience/bloom176b_chronicle_lines.log", "", "logs[megatron].values[TFLOP/s a GPU].median", 147.31, 0.005),
    ("bigscience/bloom176b_chronicle_lines.log", "", "step_time_s.min", 105.16, 0.005),
    # six runs began with an iteration 2: the first counts, the other five are shown beside it
    ("bigscience/bloom176b_chronicle_lines.log", "", "logs[megatron].values[the same iteration again].count", 5, 0),
    ("bigscience/bloom176b_chronicle_lines.log", "", "logs[megatron].values[the same iteration again].most", 853.81, 0.005),
    ("bigscience/tr8b-104B_chronicle_lines.log", "", "source.records", 19, 0),
    ("bigscience/tr8b-104B_chronicle_lines.log", "", "step_time_s.min", 31, 0.5),
    ("bigscience/tr8b-104B_chronicle_lines.log", "", "steps.first", 6502, 0),
    ("bigscience/tr8b-104B_chronicle_lines.log", "", "steps.last", 17068, 0),
    ("bigscience/tr8b-104B_chronicle_lines.log", "", "step_time_s.max", 573, 0.5),
    # it grows with its batch, and thousands of steps lie between the excerpts: nothing is a spike
    ("bigscience/tr8b-104B_chronicle_lines.log", "", "verdicts[spike].from_step", None, 0),
    ("bigscience/tr8b-104B_chronicle_lines.log", "", "step_time_s.p99", None, 0), # of 19
    ("bigscience/meg_ds_3d_gpt2_perf_n16-ds-off.out", "", "source.records", 62, 0),
    ("bigscience/meg_ds_3d_gpt2_perf_n16-ds-off.out", "", "run.gpus", 64, 0),
    ("bigscience/meg_ds_3d_gpt2_perf_n16-ds-off.out", "", "step_time_s.median", 126.6672, 0.00005),
    ("bigscience/meg_ds_3d_gpt2_perf_n16-ds-off.out", "", "logs[megatron].values[forward-compute].count", 62, 0),
    ("bigscience/meg_ds_3d_gpt2_perf_n16-ds-off.out", "", "logs[megatron].values[forward-compute].median", 28100, 50),
    ("bigscience/meg_ds_3d_gpt2_perf_n16-ds-off.out", "", "logs[megatron].values[backward-compute].median", 74900, 50),
    ("bigscience/meg_ds_3d_gpt2_perf_n16-ds-off.out", "", "logs[megatron].values[backward-send-forward-recv].median", 17800, 50),
    ("bigscience/meg_ds_3d_gpt2_perf_n16-ds-on.out", "", "source.records", 49, 0),
    ("bigscience/meg_ds_3d_gpt2_perf_n16-ds-on.out", "", "step_time_s.median", 137.1384, 0.00005),
    # "time (ms)" with nothing behind it is no damage; what is left are the timers of the set-up
    ("bigscience/meg_ds_3d_gpt2_perf_n16-ds-on.out", "", "source.damaged", 0, 0),
    ("bigscience/meg_ds_3d_gpt2_perf_n16-ds-on.out", "", "logs[megatron].values#", 3, 0),
    ("bigscience/meg_gpt2_base_n8.out", "", "source.records", 20, 0),
    ("bigscience/meg_gpt2_base_n8.out", "", "steps.covered", 200, 0),
    ("bigscience/meg_gpt2_base_n8.out", ["--from", "10", "--to", "10"], "step_time_s.median", 3.1713, 0.00005),
    ("bigscience/meg_gpt2_base_n8.out", "", "logs[megatron].values#", 16, 0), # 13 phases, 3 of the set-up
    ("bigscience/meg_gpt2_base_n8.out", "", "steps.first", 10, 0),
    ("bigscience/meg_gpt2_base_n8.out", "", "steps.last", 200, 0),
    ("bigscience/meg_gpt2_base_n8.out", "", "step_time_s.median", 1.61775, 0.000005),
    ("bigscience/meg_gpt2_base_n8.out", "", "step_time_s.max", 3.1713, 0.00005),
    ("bigscience/meg_gpt2_base_n8.out", "", "logs[megatron].values[forward-compute].count", 20, 0),
    ("bigscience/meg_gpt2_base_n8.out", "", "logs[megatron].values[forward-recv].median", 236, 0.5),
    ("bigscience/meg_gpt2_base_n8.out", "", "logs[megatron].values[backward-embedding-all-reduce].median", 726, 0.5),
    ("lumi-meg-ds/16-node.out.gz", "", "source.records", 4, 0),
    ("lumi-meg-ds/16-node.out.gz", "", "run.gpus", 128, 0),
    ("lumi-meg-ds/16-node.out.gz", "--from 2 --to 3", "step_time_s.min", 346.58, 0.005),
    ("lumi-meg-ds/16-node.out.gz", "--from 2 --to 3", "step_time_s.max", 346.70, 0.005),
    # its 7,169 collectives of rank 0, by kind
    ("lumi-meg-ds/16-node.out.gz", "", "logs[deepspeed].values[broadcast].count", 115, 0),
    ("lumi-meg-ds/16-node.out.gz", "", "logs[deepspeed].values[all_reduce].count", 21, 0),
    ("lumi-meg-ds/16-node.out.gz", "", "logs[deepspeed].values[all_reduce].median", 271.56, 0.005),
    ("lumi-meg-ds/16-node.out.gz", "", "logs[deepspeed].values[send].count", 2353, 0),
    ("lumi-meg-ds/16-node.out.gz", "", "logs[deepspeed].values[recv].count", 2330, 0),
    ("lumi-meg-ds/16-node.out.gz", "", "logs[deepspeed].values[all_gather].count", 2350, 0),
    ("lumi-meg-ds/16-node.out.gz", "", "step_time_s.max", 403.07, 0.005),
    ("lumi-meg-ds/16-node.out.gz", "", "step_time_s.median", 346.685, 0.02),
    ("lumi-meg-ds/16-node.out.gz", "", "logs[megatron].values[TFLOP/s a GPU].least", 57.65, 0.005),
    ("lumi-meg-ds/16-node.out.gz", "", "logs[megatron].values[TFLOP/s a GPU].most", 67.05, 0.005),
    ("primus/dsv2_lite_8gpu_train.log.gz", "", "source.records", 20, 0),
    ("primus/dsv2_lite_8gpu_train.log.gz", "", "logs[megatron].counts.doubled", 20, 0),
    ("primus/dsv2_lite_8gpu_train.log.gz", "", "logs[megatron].counts.disagree", 1, 0),
    ("primus/dsv2_lite_8gpu_train.log.gz", "", "logs[megatron].examples.disagree",
     "iteration 2 says 55.246 s a step, the stamps are 32.233 s apart", 0),
    ("primus/dsv2_lite_8gpu_train.log.gz", "--from 2 --to 2", "step_time_s.median", 55.2457, 0.00005),
    ("primus/dsv2_lite_8gpu_train.log.gz", "", "run.gpus", 8, 0),
    ("primus/dsv2_lite_8gpu_train.log.gz", "", "steps.attempts", 1, 0),
    ("primus/dsv2_lite_8gpu_train.log.gz", "", "step_time_s.median", 32.064, 0.0005),
    ("primus/dsv2_lite_8gpu_train.log.gz", "", "logs[megatron].values[TFLOP/s a GPU].median", 239.5, 0.05),
    ("stark-megatron-ds/qwen7b_baseline_500.log.gz", "", "source.records", 500, 0),
    ("stark-megatron-ds/qwen7b_baseline_500.log.gz", "", "steps.attempts", 1, 0),
    ("stark-megatron-ds/qwen7b_baseline_500.log.gz", "", "step_time_s.median", 18.2096, 0.00005),
    ("stark-megatron-ds/qwen7b_baseline_500.log.gz", "", "step_time_s.mean", 18.3656, 0.00005),
    ("stark-megatron-ds/qwen7b_baseline_500.log.gz", "", "step_time_s.max", 68.9512, 0.00005),
    ("stark-megatron-ds/qwen7b_baseline_500.log.gz", "", "logs[megatron].examples.evaluations",
     "iteration 101: 66.700 s with a validation, 18.650 s without", 0),
    ("stark-megatron-ds/qwen7b_baseline_500.log.gz", "", "validations.count", 4, 0),
    ("stark-megatron-ds/qwen7b_baseline_500.log.gz", "", "validations.first", [101, 201, 301, 401], 0),
    ("stark-megatron-ds/qwen7b_baseline_500.log.gz", "", "verdicts[spike].from_step", None, 0),
    ("stark-megatron-ds/qwen7b_baseline_500.log.gz", "--from 101 --to 101", "step_time_s.median", 66.7, 0.05),
    ("stark-megatron-ds/qwen7b_baseline_500.log.gz", "--from 202 --to 400", "step_time_s.max", 59.2, 0.05),
    ("stark-megatron-ds/qwen7b_baseline_500.log.gz", "--from 302", "step_time_s.max", 64.9, 0.05),
    ("stark-megatron-ds/qwen7b_baseline_500.log.gz", "", "run.gpus", 16, 0),
    ("stark-megatron-ds/qwen7b_baseline_500.log.gz", "", "logs[megatron].values[save-checkpoint (max)].count", 1, 0),
    ("stark-megatron-ds/qwen7b_baseline_500.log.gz", "", "logs[megatron].values[TFLOP/s a GPU].median", 6.64, 0.005),
    ("stark-megatron-ds/qwen7b_baseline_500.log.gz", "", "logs[megatron].values[save-checkpoint (max)].most", 23700, 50),
    ("stark-megatron-ds/qwen7b_static_1305_500.log.gz", "", "source.records", 500, 0),
    ("stark-megatron-ds/qwen7b_static_1305_500.log.gz", "", "step_time_s.median", 14.06935, 0.000005),
    ("stark-megatron-ds/qwen7b_static_1305_500.log.gz", "", "step_time_s.max", 50.8, 0.05),
    ("stark-megatron-ds/qwen7b_static_1305_500.log.gz", "", "validations.first", [101, 201, 301, 401], 0),
    ("stark-megatron-ds/qwen7b_static_1305_500.log.gz", "", "verdicts[spike].from_step", None, 0),
    ("stark-megatron-ds/qwen7b_static_1305_500.log.gz", "", "logs[megatron].examples.evaluations",
     "iteration 101: 49.804 s with a validation, 14.335 s without", 0),
    ("stark-megatron-ds/tp1pp4dp4_refresh_6runs.log.gz", "", "source.records", 120, 0),
    ("stark-megatron-ds/tp1pp4dp4_refresh_6runs.log.gz", "", "steps.attempts", 6, 0),
    ("stark-megatron-ds/tp1pp4dp4_refresh_6runs.log.gz", "", "effective.restarts", 5, 0),
    ("stark-megatron-ds/tp1pp4dp4_refresh_6runs.log.gz", "", "effective.repeated_steps", 100, 0),
    ("stark-megatron-ds/tp1pp4dp4_refresh_6runs.log.gz", "", "steps.first", 1, 0),
    ("stark-megatron-ds/tp1pp4dp4_refresh_6runs.log.gz", "", "steps.last", 20, 0),
    ("stark-megatron-ds/tp1pp4dp4_refresh_6runs.log.gz", "", "step_time_s.median", 27.4096, 0.00005),
    ("stark-megatron-ds/events_16gpu.jsonl", "", "source.records", 1, 0),
    ("stark-megatron-ds/events_16gpu.jsonl", "", "steps.last", 20, 0),
    ("stark-megatron-ds/events_16gpu.jsonl", "", "steps.covered", 20, 0),
    ("stark-megatron-ds/events_16gpu.jsonl", "", "effective.wall_s", 2955.33, 0.005),
    ("stark-megatron-ds/events_16gpu.jsonl", "", "step_time_s.median", 147.766, 0.001),
    ("stark-megatron-ds/events_16gpu.jsonl", "", "logs[run-events].values[energy_j].median", 1670000, 5000),
    # megatron-failslow: a mean of 10 a line; the detector's estimates of each rank, in us
    ("megatron-failslow/log.txt", "", "source.records", 8, 0),
    ("megatron-failslow/log.txt", "", "run.gpus", 4, 0),
    ("megatron-failslow/log.txt", "", "steps.first", 10, 0),
    ("megatron-failslow/log.txt", "", "steps.last", 80, 0),
    ("megatron-failslow/log.txt", "", "steps.covered", 80, 0),
    ("megatron-failslow/log.txt", "", "step_time_s.median", 0.38815, 0.000005),
    ("megatron-failslow/local_controller_0.log", "", "logs[greyhound].job_records", 0, 0),
    ("megatron-failslow/local_controller_0.log", "", "logs[greyhound].values[estimated iteration time].count", 48, 0),
    # (the index names one of the 48, in line 126: 739,783 +- 10,038)
    ("megatron-failslow/local_controller_0.log", "", "logs[greyhound].values[estimated iteration time].median", 739116.2, 0.1),
    ("megatron-failslow/local_controller_0.log", "", "logs[greyhound].values[estimated iteration time].least", 735487.6, 0.1),
    ("megatron-failslow/local_controller_0.log", "", "logs[greyhound].values[estimated iteration time].most", 756751.2, 0.1),
    ("megatron-failslow/local_controller_0.log", "", "per_rank#", 4, 0),
    # megatron-golden
    ("megatron-golden/bert_tp2_pp2_resume_h100.json", "", "steps.first", 2, 0),
    ("megatron-golden/bert_tp2_pp2_resume_h100.json", "", "steps.last", 100, 0),
    ("megatron-golden/bert_tp2_pp2_resume_h100.json", "", "step_time_s.median", 0.9375, 0.00005),
    ("megatron-golden/bert_tp2_pp2_resume_h100.json", "", "step_time_s.max", 5.355, 0.0005),
    ("megatron-golden/mixtral_8x7b_tp2pp4ep4_h100.json.gz", "", "source.records", 4538, 0),
    ("megatron-golden/mixtral_8x7b_tp2pp4ep4_h100.json.gz", "", "logs[megatron-golden].counts.not_numbers", 263, 0),
    ("megatron-golden/mixtral_8x7b_tp2pp4ep4_h100.json.gz", "", "step_time_s.median", 8.961, 0.0005),
    ("megatron-golden/mixtral_8x7b_tp2pp4ep4_h100.json.gz", "", "step_time_s.max", 92.351, 0.0005),
    # every 5th step is kept: the mean is that of the values, and they are not of the steps between
    ("megatron-golden/mixtral_8x7b_tp2pp4ep4_h100.json.gz", "", "step_time_s.mean", 9.1225, 0.00005),
    ("megatron-golden/mixtral_8x7b_tp2pp4ep4_h100.json.gz", "", "steps.covered", 4538, 0),
    ("megatron-golden/mixtral_8x7b_tp2pp4ep4_h100.json.gz", "", "steps.first", 1, 0),
    ("megatron-golden/mixtral_8x7b_tp2pp4ep4_h100.json.gz", "", "steps.attempts", 1, 0),
    # what is over 20 s besides step 1, which is no spike but the first
    ("megatron-golden/mixtral_8x7b_tp2pp4ep4_h100.json.gz", "", "verdicts[spike 9870].step_time_s", 88.10275, 0.000005),
    ("megatron-golden/mixtral_8x7b_tp2pp4ep4_h100.json.gz", "", "verdicts[spike 11285].step_time_s", 87.2285, 0.000005),
    ("megatron-golden/mixtral_8x7b_tp2pp4ep4_h100.json.gz", "", "verdicts[spike 14145].step_time_s", 88.02297, 0.000005),
    ("megatron-golden/mixtral_8x7b_tp2pp4ep4_h100.json.gz", "", "verdicts[spike 19855].step_time_s", 86.52409, 0.000005),
    ("megatron-golden/mixtral_8x7b_tp2pp4ep4_h100.json.gz", "", "verdicts[spike 20020].step_time_s", 21.10315, 0.000005),
    ("megatron-golden/mixtral_8x7b_tp2pp4ep4_h100.json.gz", "", "verdicts[spike 20455].step_time_s", 26.97059, 0.000005),
    # traces: spans and kernels of one rank a file; cut and incomplete ones
    ("hta/mi250_minitoy_train_ROCm6_2_kineto.json.gz", "", "source.records", 1, 0),
    ("hta/mi250_minitoy_train_ROCm6_2_kineto.json.gz", "", "step_time_s.median", 0.009288, 0.0000005),
    ("hta/mi250_minitoy_train_ROCm6_2_kineto.json.gz", "", "logs[kineto].examples.without_pair",
     "ProfilerStep#2 was cut by the end of the recording: 0.049 ms", 0),
    ("hta/mi250_minitoy_train_ROCm6_2_kineto.json.gz", "", "run.gpus_logged", False, 0),
    ("hta/mi250_minitoy_train_ROCm6_2_kineto.json.gz", "", "logs[kineto].counts.without_pair", 2, 0),  # the cut step; kernels, but no exchange
    ("hta/nccl_data.json.gz", "", "steps.complete", 3, 0),
    ("hta/nccl_data.json.gz", "", "steps.first", 4, 0),
    ("hta/nccl_data.json.gz", "", "run.gpus", 2, 0),
    ("hta/nccl_data.json.gz", "", "step_time_s.median", 0.222442, 0.0000005),
    # the spans are 219.727 and 224.936 ms long and lie 0.061 and 0.060 ms apart: a step lasts from
    # the end of the one before to its own
    ("hta/nccl_data.json.gz", "", "step_time_s.min", 0.219788, 0.0000005),
    ("hta/nccl_data.json.gz", "", "step_time_s.max", 0.224996, 0.0000005),
    ("hta/nccl_data.json.gz", "", "logs[kineto].values[kernels of the trace].median", 2700, 0),
    ("hta/nccl_data.json.gz", "", "logs[kineto].values[NCCL kernels of the trace].median", 21, 0),
    ("hta/nccl_data.json.gz", "", "logs[kineto].values[NCCL kernel time of the trace].least", 46.876, 0.0005),
    ("hta/rank_non_gpu.json.gz", "", "steps.first", 1009, 0),
    ("hta/rank_non_gpu.json.gz", "", "per_rank[0].steps", 1, 0),
    ("hta/rank_non_gpu.json.gz", "", "run.gpus_logged", False, 0),
    ("hta/rank_non_gpu.json.gz", "", "step_time_s.median", 0.075473, 0.0000005),
    ("hta/rank_non_gpu.json.gz", "", "logs[kineto].values#", 0, 0),
    ("hta/sampled_rank-0.json.gz", "", "steps.last", 552, 0),
    ("hta/sampled_rank-0.json.gz", "", "run.gpus", 128, 0),
    ("hta/sampled_rank-0.json.gz", "", "step_time_s.min", 0.607312, 0.0000005),
    ("hta/sampled_rank-0.json.gz", "", "step_time_s.max", 0.622977, 0.0000005), # 0.622928, 0.000049 behind the first
    ("hta/sampled_rank-0.json.gz", "", "logs[kineto].values[kernels of the trace].median", 1154, 0),
    ("hta/sampled_rank-0.json.gz", "", "logs[kineto].values[NCCL kernels a step].most", 5, 0),
    ("hta/sampled_rank-0.json.gz", "", "logs[kineto].values[NCCL kernel time a step].least", 195.327, 0.0005),
    ("hta/sampled_rank-0.json.gz", "", "logs[kineto].values[NCCL kernel time a step].most", 200.872, 0.0005),
    ("hta/sampled_rank-0.json.gz", "", "logs[kineto].values[NCCL kernels that are SendRecv].median", 10, 0),
    ("hta/sampled_rank-1.json.gz", "", "per_rank[1].steps", 2, 0),
    ("hta/sampled_rank-1.json.gz", "", "run.gpus", 128, 0),
    ("hta/sampled_rank-1.json.gz", "", "step_time_s.min", 0.607904, 0.0000005),
    ("hta/sampled_rank-1.json.gz", "", "step_time_s.max", 0.630689, 0.0000005), # 0.630639, 0.00005 behind
    ("hta/sampled_rank-1.json.gz", "", "logs[kineto].values[NCCL kernel time a step].least", 168.027, 0.0005),
    ("hta/sampled_rank-1.json.gz", "", "logs[kineto].values[NCCL kernel time a step].most", 211.026, 0.0005),
    ("hta/sampled_rank-0.json.gz hta/sampled_rank-1.json.gz", "", "source.records", 4, 0),
    ("hta/sampled_rank-0.json.gz hta/sampled_rank-1.json.gz", "", "steps.complete", 2, 0),
    # op traces: a slow stage is named, no rank; a slow rank
    ("bytedance-straggleranalysis/trace-ST.csv.gz", "", "steps.complete", 32, 0),
    ("bytedance-straggleranalysis/trace-ST.csv.gz", "", "source.records", 256, 0),
    # (as above: the median over the ranks; of the last one's end it is 2.2130)
    ("bytedance-straggleranalysis/trace-ST.csv.gz", "", "step_time_s.median", 2.210736, 0.000005),
    ("bytedance-straggleranalysis/trace-ST.csv.gz", "", "logs[op-trace].lines", 6785, 0), # a header, too
    ("bytedance-straggleranalysis/trace-ST.csv.gz", "", "verdicts#", 1, 0),
    ("bytedance-straggleranalysis/trace-ST.csv.gz", "", "verdicts[group].group", 'stage3', 0),
    ("bytedance-straggleranalysis/trace-ST.csv.gz", "", "verdicts[straggler].rank", None, 0),
    ("bytedance-straggleranalysis/trace-ST.csv.gz", "", "per_rank[6].slowdown_median", 1.62, 0.005),
    ("bytedance-straggleranalysis/trace-ST.csv.gz", "", "per_rank[7].slowdown_median", 1.63, 0.005),
    ("bytedance-straggleranalysis/timeline-ST.json.gz", "", "steps.complete", 32, 0),
    ("bytedance-straggleranalysis/timeline-ST.json.gz", "", "source.records", 256, 0),
    # whole microseconds, so not that of the CSV
    ("bytedance-straggleranalysis/timeline-ST.json.gz", "", "step_time_s.median", 2.210736, 0.0001),
    ("bytedance-straggleranalysis/timeline-ST.json.gz", "", "logs[op-timeline].lines", 6784, 0), # 82 of its 6,866 events are names
    ("bytedance-straggleranalysis/timeline-ST.json.gz", "", "verdicts#", 1, 0),
    ("bytedance-straggleranalysis/timeline-ST.json.gz", "", "verdicts[group].group", 'stage3', 0),
    ("bytedance-straggleranalysis/timeline-ST.json.gz", "", "verdicts[straggler].rank", None, 0),
    ("bytedance-straggleranalysis/timeline-ST.json.gz", "", "per_rank[6].slowdown_median", 1.62, 0.005),
    ("bytedance-straggleranalysis/timeline-ST.json.gz", "", "per_rank[7].slowdown_median", 1.63, 0.005),
    ("bytedance-straggleranalysis/trace-AR.first6steps.csv.gz", "", "source.records", 96, 0),
    # its layout is in the file beside it: meta-AR.yaml
    ("bytedance-straggleranalysis/trace-AR.first6steps.csv.gz", "", "run.gpus", 64, 0),
    ("bytedance-straggleranalysis/trace-AR.first6steps.csv.gz", "", "logs[op-trace].lines", 15985, 0),
    ("bytedance-straggleranalysis/trace-AR.first6steps.csv.gz", "", "per_rank[0].slowdown_median", 2.3588, 0.00005), # of these 6 steps
    ("bytedance-straggleranalysis/trace-AR.first6steps.csv.gz", "", "per_rank#", 16, 0),
    ("bytedance-straggleranalysis/trace-AR.first6steps.csv.gz", "", "steps.first", 16, 0),
    ("bytedance-straggleranalysis/trace-AR.first6steps.csv.gz", "", "steps.complete", 6, 0),
    ("bytedance-straggleranalysis/trace-AR.first6steps.csv.gz", "", "per_rank[0].arrived_last", 6, 0),
    # DeepSpeed beside Megatron: rank 0's collectives, of 7,169 lines, and two lines of its
    # configuration: the batch and the accumulation; the iterations are Megatron's
    ("lumi-meg-ds/16-node.out.gz", "", "source.records", 4, 0),
    ("lumi-meg-ds/16-node.out.gz", "", "logs[deepspeed].lines", 7169 + 2, 0),
    ("stark-megatron-ds/qwen7b_baseline_500.log.gz", "", "logs[deepspeed].records", None, 0),
    # HF Trainer: four nodes wrote the same bar of 16 steps, which took 919 s
    ("bigscience/hf_ds_gpt2_base_n4.out", "", "source.records", 16, 0),
    ("bigscience/hf_ds_gpt2_base_n4.out", "", "steps.last", 16, 0),
    ("bigscience/hf_ds_gpt2_base_n4.out", "", "logs[tqdm].counts.doubled", 72 - 16, 0),
    ("bigscience/hf_ds_gpt2_base_n4.out", "", "steps.attempts", 1, 0),
    ("bigscience/hf_ds_gpt2_base_n4.out", "", "step_time_s.mean", 919.02 / 16, 0.07),
    ("bigscience/hf_ds_gpt2_base_n4.out", "", "logs[tqdm].values[train_runtime].least", 919.02,
     0.005),
    # MLPerf: step times, throughput, blocks
    # (6 of its 246 values are means over a block of 40 steps that are there one by one; the
    # median of the 240 is 25.3528, the index has that of all 246)
    ("mlperf-v5.1/nebius_1024rank_llama31_405b.txt.gz", "", "source.records", 240, 0),
    ("mlperf-v5.1/nebius_1024rank_llama31_405b.txt.gz", "",
     "logs[mllog].values[train_step_time, means].count", 6, 0),
    ("mlperf-v5.1/nebius_1024rank_llama31_405b.txt.gz", "", "steps.first", 1, 0),
    ("mlperf-v5.1/nebius_1024rank_llama31_405b.txt.gz", "", "steps.last", 240, 0),
    ("mlperf-v5.1/nebius_1024rank_llama31_405b.txt.gz", "", "steps.attempts", 1, 0),
    ("mlperf-v5.1/nebius_1024rank_llama31_405b.txt.gz", "", "effective.restarts", 0, 0),
    ("mlperf-v5.1/nebius_1024rank_llama31_405b.txt.gz", "", "step_time_s.median", 25.3528, 0.00005),
    ("mlperf-v5.1/nebius_1024rank_llama31_405b.txt.gz", "", "step_time_s.mean", 25.5704, 0.00005),
    ("mlperf-v5.1/nebius_1024rank_llama31_405b.txt.gz", "", "step_time_s.max", 40.428, 0.0005),
    ("mlperf-v5.1/nebius_1024rank_llama31_405b.txt.gz", "--to 2", "step_time_s.min", 30.428, 0.0005),
    ("mlperf-v5.1/nebius_1024rank_llama31_405b.txt.gz", "--to 2", "step_time_s.max", 40.428, 0.0005),
    ("mlperf-v5.1/nebius_1024rank_llama31_405b.txt.gz", "", "run.gpus", 1024, 0),
    ("mlperf-v5.1/nebius_1024rank_llama31_405b.txt.gz", "", "logs[mllog].examples.disagree",
     "step 41 says 34.435 s a step, the stamps are 27.719 s apart", 0),
    ("mlperf-v5.1/nebius_1024rank_llama31_405b.txt.gz", "", "source.other", 9244 - 2, 0), # 2 are :::SYSJSON
    ("mlperf-v5.1/nebius_1024rank_llama31_405b.txt.gz", "", "logs[mllog].values[run].median",
     6407.5, 0.05),
    # (likewise: 288 steps, and 4 means over blocks. The index's mean is that of all 292; of the 288
    # it is 13.14551)
    ("mlperf-v5.1/nvidia_512gpu_llama31_405b.txt", "", "source.records", 288, 0),
    ("mlperf-v5.1/nvidia_512gpu_llama31_405b.txt", "",
     "logs[mllog].values[train_step_time, means].count", 4, 0),
    ("mlperf-v5.1/nvidia_512gpu_llama31_405b.txt", "", "steps.attempts", 1, 0),
    ("mlperf-v5.1/nvidia_512gpu_llama31_405b.txt", "", "step_time_s.median", 13.140, 0.0005),
    ("mlperf-v5.1/nvidia_512gpu_llama31_405b.txt", "", "step_time_s.mean", 13.14551, 0.000005),
    ("mlperf-v5.1/nvidia_512gpu_llama31_405b.txt", "", "step_time_s.max", 13.3585, 0.00005),
    ("mlperf-v5.1/nvidia_512gpu_llama31_405b.txt", "", "step_time_s.min", 13.097, 0.0005),
    ("mlperf-v5.1/nvidia_512gpu_llama31_405b.txt", "", "verdicts[spike].from_step", None, 0),
    ("mlperf-v5.1/nvidia_512gpu_llama31_405b.txt", "", "logs[mllog].lines", 495, 0),
    ("mlperf-v5.1/nvidia_512gpu_llama31_405b.txt", "", "logs[mllog].values[block].count", 4, 0),
    ("mlperf-v5.1/nvidia_512gpu_llama31_405b.txt", "", "logs[mllog].values[run].median", 3876.3,
     0.05),
    ("mlperf-v5.1/amd_8gpu_llama2_70b.txt", "", "source.records", 7, 0),
    ("mlperf-v5.1/amd_8gpu_llama2_70b.txt", "", "steps.covered", 192 + 6 * 48, 0),
    ("mlperf-v5.1/amd_8gpu_llama2_70b.txt", "", "steps.last", 480, 0),
    ("mlperf-v5.1/amd_8gpu_llama2_70b.txt", "", "logs[mllog].values[block].count", 7, 0),
    ("mlperf-v5.1/amd_8gpu_llama2_70b.txt", "", "step_time_s.median", 3.78, 0.005),
    ("mlperf-v5.1/amd_8gpu_llama2_70b.txt", "", "logs[mllog].values[throughput].median", 2.1154,
     0.001),
    ("mlperf-v5.1/amd_8gpu_llama2_70b.txt", "", "logs[mllog].values[block].most", 731.6, 0.05),
    ("mlperf-v5.1/mangoboost_2node_llama2_70b_ncclinfo.txt.gz", "", "source.damaged", 0, 0),
    ("mlperf-v5.1/mangoboost_2node_llama2_70b_ncclinfo.txt.gz", "", "logs[mllog].lines", 91, 0),
    ("mlperf-v5.1/mangoboost_2node_llama2_70b_ncclinfo.txt.gz", "", "source.records", 5, 0),
    ("mlperf-v5.1/mangoboost_2node_llama2_70b_ncclinfo.txt.gz", "", "source.other", 7131, 0),
    ("mlperf-v5.1/mangoboost_2node_llama2_70b_ncclinfo.txt.gz", "", "logs[mllog].values[throughput].count", 5, 0),
    ("mlperf-v5.1/mangoboost_2node_llama2_70b_ncclinfo.txt.gz", "", "step_time_s.median",
     8 / 3.9259, 0.0001),
    ("mlperf-v4.0/google_12288chip_gpt3.txt", "", "source.records", 27, 0),
    ("mlperf-v4.0/google_12288chip_gpt3.txt", "", "step_time_s.median", 23.866, 0.0005),
    ("mlperf-v4.0/google_12288chip_gpt3.txt", "", "step_time_s.max", 40.939, 0.0005),
    # (the longest is the 10th, not the last, which is 40.935 s)
    ("mlperf-v4.0/google_12288chip_gpt3.txt", "--from 10 --to 10", "step_time_s.median", 40.939, 0.0005),
    ("mlperf-v4.0/google_12288chip_gpt3.txt", "", "verdicts[spike 27].step_time_s", 40.935, 0.0005),
    ("mlperf-v4.0/google_12288chip_gpt3.txt", "", "logs[mllog].values[block].count", 27, 0),
    ("mlperf-v4.0/google_12288chip_gpt3.txt", "", "logs[mllog].counts.without_pair", 1, 0),
    ("mlperf-v4.0/google_12288chip_gpt3.txt", "", "logs[mllog].values[run].median", 730.2, 0.05),
    ("mlperf-v4.0/juniper_64gpu_llama2_70b_deepspeed.txt", "", "source.records", 7, 0),
    ("mlperf-v4.0/juniper_64gpu_llama2_70b_deepspeed.txt", "", "logs[mllog].values[block].count", 7, 0),
    ("mlperf-v4.0/juniper_64gpu_llama2_70b_deepspeed.txt", "", "steps.covered", 7 * 12, 0),
    ("mlperf-v4.0/juniper_64gpu_llama2_70b_deepspeed.txt", "",
     "logs[mllog].values[block].median", 274.93, 0.005),
    ("mlperf-v4.0/juniper_64gpu_llama2_70b_deepspeed.txt", "", "step_time_s.median", 274.93 / 12,
     0.0005),
    ("mlperf-v4.0/nvidia_1024gpu_llama2_70b.txt", "", "source.records", 11, 0),
    ("mlperf-v4.0/nvidia_1024gpu_llama2_70b.txt", "", "run.gpus", 1024, 0),
    ("mlperf-v4.0/nvidia_1024gpu_llama2_70b.txt", "", "logs[mllog].values[block].count", 11, 0),
    ("mlperf-v4.0/nvidia_1024gpu_llama2_70b.txt", "", "logs[mllog].values[block].median", 2, 0.05),
    ("mlperf-v4.0/nvidia_1024gpu_llama2_70b.txt", "", "logs[mllog].values[throughput].count", 11, 0),
    ("mlperf-v4.0/nvidia_1024gpu_llama2_70b.txt", "", "step_time_s.median", 0.658, 0.0005),
    ("mlperf-v4.0/nvidia_1024gpu_llama2_70b.txt", "", "logs[mllog].values[block].most", 55.8,
     0.05),
    ("mlperf-v4.0/oracle_128rank_sd_srunlabel.txt.gz", "", "source.records", 35, 0),
    ("mlperf-v4.0/oracle_128rank_sd_srunlabel.txt.gz", "", "logs[mllog].values[block].median",
     8.709, 0.0005),
    ("mlperf-v4.0/oracle_128rank_sd_srunlabel.txt.gz", "", "logs[mllog].values[block].count", 35, 0),
    ("mlperf-v4.0/oracle_128rank_sd_srunlabel.txt.gz", "", "run.gpus", 128, 0),
    ("mlperf-v4.0/oracle_128rank_sd_srunlabel.txt.gz", "", "steps.covered", 3500, 0), # 100 each
    ("mlperf-v4.0/oracle_128rank_sd_srunlabel.txt.gz", "", "step_time_s.median", 0.08709, 0.00001),
    ("primus/mlperf_gpt_oss_20b.log", "", "logs[mllog].values[block].count", 19, 0),
    ("primus/mlperf_gpt_oss_20b.log", "", "logs[mllog].values[block].median", 469.2, 0.05),
    ("primus/mlperf_gpt_oss_20b.log", "", "logs[mllog].values[run].median", 9199.7, 0.05),
    ("mlperf-v5.1/amd_8gpu_llama2_70b.txt", "", "logs[mllog].values[block].median", 181.55, 0.005),
    ("mlperf-v5.1/mangoboost_2node_llama2_70b_ncclinfo.txt.gz", "",
     "logs[mllog].values[throughput].median", 3.9259, 0.0001),
    ("mlperf-v5.1/mangoboost_2node_llama2_70b_ncclinfo.txt.gz", "",
     "logs[mllog].values[block].count", 5, 0),
    ("mlperf-v5.1/nvidia_512gpu_llama31_405b.txt", "", "logs[mllog].counts.doubled", 0, 0),
    # (as the run gives it at its end, in samples a second)
    ("primus/mlperf_gpt_oss_20b.log", "", "logs[mllog].values[overall_throughput].median", 25.38, 0.005),
    ("mlperf-v4.0/nvidia_1024gpu_llama2_70b.txt", "", "logs[mllog].values[throughput].median",
     194.46, 0.005),
    # an evaluation is no step; what an epoch is called step 1 of gives no steps
    ("mlperf-v4.0/oracle_64gpu_ssd_metriclogger.txt.gz", "", "logs[metriclogger].records", 933, 0),
    # torchtitan: the values of its lines as they stand there
    ("torchtitan/run214_ansi_logfreq1.log", "", "source.records", 10, 0),
    ("torchtitan/run214_ansi_logfreq1.log", "", "logs[torchtitan].values[MFU].count", 10, 0),
    ("torchtitan/run214_ansi_logfreq1.log", "", "run.gpus", 8, 0),
    ("torchtitan/run214_ansi_logfreq1.log", "",
     "logs[torchtitan].values[tokens a second a GPU].least", 1125, 0),
    ("torchtitan/run214_ansi_logfreq1.log", "",
     "logs[torchtitan].values[tokens a second a GPU].median", 10216, 0.5),
    ("torchtitan/run214_ansi_logfreq1.log", "", "logs[torchtitan].values[TFLOP/s a GPU].median",
     860.8, 0.05),
    ("torchtitan/run214_ansi_logfreq1.log", "", "logs[torchtitan].values[MFU].least", 4.21, 0),
    ("torchtitan/run214_ansi_logfreq1.log", "", "logs[torchtitan].values[MFU].median", 38.26,
     0.005),
    ("torchtitan/run217_nocolor_logfreq1.log", "", "source.records", 10, 0),
    ("torchtitan/run217_nocolor_logfreq1.log", "", "logs[torchtitan].values[MFU].median", 38.405,
     0.0005),
    ("torchtitan/run217_nocolor_logfreq1.log", "", "logs[torchtitan].values[MFU].most", 39.51, 0),
    # llm.c: one line is torn by another's; evaluations are no steps
    ("llmc/gpt2_train.full19560.log.gz", "", "source.records", 19559, 0),
    ("llmc/gpt2_train.full19560.log.gz", "", "source.damaged", 1, 0),
    ("llmc/gpt2_train.full19560.log.gz", "", "steps.last", 19560, 0),
    ("llmc/gpt2_train.full19560.log.gz", "", "step_time_s.median", 4.20349, 0.000005),
    ("llmc/gpt2_train.full19560.log.gz", "", "step_time_s.max", 50.08495, 0.000005),
    ("llmc/gpt2_train.full19560.log.gz", "", "logs[llmc].values[MFU].least", 2.7, 0),
    ("llmc/gpt2_train.full19560.log.gz", "", "verdicts[spike 10741].step_time_s", 50.08495, 0.000005),
    ("llmc/gpt2_train.full19560.log.gz", "", "verdicts[gap 19529].absent_steps", 1, 0), # 19528 is torn
    ("llmc/gpt2_train.cr_progress.log", "", "source.records", 750, 0),
    ("llmc/gpt2_train.cr_progress.log", "", "run.gpus", 1, 0),
    ("llmc/gpt2_train.cr_progress.log", "", "steps.first", 1, 0),
    ("llmc/gpt2_train.cr_progress.log", "", "steps.last", 750, 0),
    ("llmc/gpt2_train.cr_progress.log", "", "step_time_s.median", 4.18018, 0.00001),
    ("llmc/gpt2_train.cr_progress.log", "", "logs[llmc].values[MFU].least", 18.7, 0),
    ("llmc/gpt2_train.cr_progress.log", "", "logs[llmc].values[MFU].most", 32.9, 0),
    # modded-nanogpt: differences of its clock, from the first line of a step on
    ("modded-nanogpt/2025-09-11_8xH100.txt", "", "logs[modded-nanogpt].lines", 1685, 0),
    ("modded-nanogpt/2025-09-11_8xH100.txt", "", "source.records", 1669, 0),
    ("modded-nanogpt/2025-09-11_8xH100.txt", "", "steps.last", 1670, 0),
    ("modded-nanogpt/2025-09-11_8xH100.txt", "", "logs[modded-nanogpt].counts.evaluations", 15, 0),
    # the clock's 156,100 ms at the end, less the 561 at which the first line stands
    ("modded-nanogpt/2025-09-11_8xH100.txt", "", "effective.wall_s", 155.539, 0.0005),
    ("modded-nanogpt/2025-09-11_8xH100.txt", "", "step_time_s.median", 0.092, 0.0005),
    ("modded-nanogpt/2025-09-11_8xH100.txt", "", "step_time_s.max", 0.288, 0.0005),
    # MaxText: a step that was dispatched but not computed is no step
    ("maxtext/understand_logs_10steps.log", "", "source.records", 9, 0),
    ("maxtext/understand_logs_10steps.log", "", "source.impossible", 1, 0),
    ("maxtext/understand_logs_10steps.log", "", "steps.first", 0, 0),
    ("maxtext/understand_logs_10steps.log", "", "steps.last", 9, 0),
    ("maxtext/understand_logs_10steps.log", "", "logs[maxtext].examples.impossible",
     "step 1: 0.319 s, the next takes 5.658 s: it was dispatched, not computed", 0),
    ("maxtext/understand_logs_10steps.log", "--from 9 --peak 459", "mfu.value", 0.294, 0.001),
    ("maxtext/understand_logs_10steps.log", "", "step_time_s.max", 44.923, 0),
    ("maxtext/understand_logs_10steps.log", "", "step_time_s.median", 5.67, 0.005),
    ("maxtext/understand_logs_10steps.log", "", "logs[maxtext].values[TFLOP/s a device].median",
     134.9, 0.05),
    # HugeCTR, MetricLogger, DLLogger: MLPerf's blocks beside them are no records
    ("mlperf-v4.0/dell_8gpu_dlrm_hugectr_crlf.txt", "", "source.records", 568, 0),
    ("mlperf-v4.0/dell_8gpu_dlrm_hugectr_crlf.txt", "", "steps.first", 100, 0),
    ("mlperf-v4.0/dell_8gpu_dlrm_hugectr_crlf.txt", "", "steps.last", 56800, 0),
    ("mlperf-v4.0/dell_8gpu_dlrm_hugectr_crlf.txt", "", "steps.covered", 56800, 0),
    ("mlperf-v4.0/dell_8gpu_dlrm_hugectr_crlf.txt", "", "step_time_s.median", 0.0035045, 6e-7),
    ("mlperf-v4.0/dell_8gpu_dlrm_hugectr_crlf.txt", "", "step_time_s.max", 0.027045, 5e-7),
    ("mlperf-v4.0/oracle_64gpu_ssd_metriclogger.txt.gz", "", "source.records", 933, 0),
    ("mlperf-v4.0/oracle_64gpu_ssd_metriclogger.txt.gz", "", "steps.attempts", 1, 0),
    ("mlperf-v4.0/oracle_64gpu_ssd_metriclogger.txt.gz", "", "step_time_s.median", 0.0196,
     0.00005),
    # the index's 88% is median over median, 0.0173 / 0.0196; ours is a share of all the time
    ("mlperf-v4.0/oracle_64gpu_ssd_metriclogger.txt.gz", "", "ledger.parts[input].share", 0.88, 0.005),
    ("mlperf-v4.0/oracle_64gpu_ssd_metriclogger.txt.gz", "", "effective.restarts", 0, 0),
    ("mlperf-v4.0/supermicro_8gpu_gnn_dll_crlf.txt.gz", "", "source.records", 5472, 0),
    ("mlperf-v4.0/supermicro_8gpu_gnn_dll_crlf.txt.gz", "", "steps.complete", 5472, 0),
    ("mlperf-v4.0/supermicro_8gpu_gnn_dll_crlf.txt.gz", "", "steps.first", 0, 0),
    ("mlperf-v4.0/supermicro_8gpu_gnn_dll_crlf.txt.gz", "", "steps.last", 5471, 0),
    ("mlperf-v4.0/supermicro_8gpu_gnn_dll_crlf.txt.gz", "", "verdicts[gap].from_step", None, 0),
    ("mlperf-v4.0/supermicro_8gpu_gnn_dll_crlf.txt.gz", "", "step_time_s.median", 0.112115, 5e-7),
    ("mlperf-v4.0/supermicro_8gpu_gnn_dll_crlf.txt.gz", "", "step_time_s.mean", 0.11808, 0.00001),
    # (over 4,096 steps: to 1/64 of the median)
    ("mlperf-v4.0/supermicro_8gpu_gnn_dll_crlf.txt.gz", "", "step_time_s.p99", 0.3128, 0.1121 / 64),
    ("mlperf-v4.0/supermicro_8gpu_gnn_dll_crlf.txt.gz", "", "step_time_s.max", 0.5979, 0.00005),
]

# (file, what `lockstep explain` says of its lines): the index's table of line ends, where an LF
# behind a CR counts as an LF, too, and how many lines have colour, counted with grep
EXPLAINED = [
    ("bigscience/hf_ds_gpt2_base_n4.out", "ends: 1,821 LF, 0 CRLF, 84 lone CR"),
    ("bigscience/meg_ds_3d_gpt2_perf_n16-ds-on.out", "ends: 1,045 LF, 0 CRLF, 0 lone CR"),
    ("llmc/gpt2_train.cr_progress.log", "ends: 824 LF, 0 CRLF, 361 lone CR"),
    ("llmc/gpt2_train.full19560.log.gz", "ends: 19,804 LF, 0 CRLF, 9,954 lone CR"),
    ("lumi-meg-ds/16-node.out.gz", "ends: 9,860 LF, 0 CRLF, 0 lone CR 13 with colour"),
    ("mlperf-v4.0/dell_8gpu_dlrm_hugectr_crlf.txt", "ends: 11 LF, 830 CRLF, 0 lone CR"),
    ("mlperf-v4.0/oracle_128rank_sd_srunlabel.txt.gz", "ends: 8,276 LF, 0 CRLF, 8 lone CR"),
    ("mlperf-v4.0/oracle_64gpu_ssd_metriclogger.txt.gz", "ends: 2,511 LF, 0 CRLF, 380 lone CR"),
    ("mlperf-v4.0/supermicro_8gpu_gnn_dll_crlf.txt.gz", "ends: 10 LF, 5,675 CRLF, 0 lone CR"),
    ("mlperf-v5.1/mangoboost_2node_llama2_70b_ncclinfo.txt.gz", "ends: 7,278 LF, 0 CRLF, 0 lone CR"),
    ("mlperf-v5.1/nebius_1024rank_llama31_405b.txt.gz", "ends: 10,736 LF, 0 CRLF, 0 lone CR"),
    ("primus/dsv2_lite_8gpu_train.log.gz", "ends: 3,294 LF, 0 CRLF, 0 lone CR 2,348 with colour"),
    ("stark-megatron-ds/qwen7b_baseline_500.log.gz",
     "ends: 2,630 LF, 0 CRLF, 0 lone CR 555 with colour"),
    ("stark-megatron-ds/qwen7b_static_1305_500.log.gz",
     "ends: 2,667 LF, 0 CRLF, 0 lone CR 559 with colour"),
    ("stark-megatron-ds/tp1pp4dp4_refresh_6runs.log.gz",
     "ends: 10,217 LF, 0 CRLF, 0 lone CR 3,354 with colour"),
    ("torchtitan/run214_ansi_logfreq1.log", "ends: 56 LF, 0 CRLF, 0 lone CR 11 with colour"),
]

_reports = {}


def report(files, options):
    """The report on the files, made once."""
    key = (files, json.dumps(options))
    if key not in _reports:
        paths = [os.path.join(SHARED, name) for name in files.split()]
        words = options if isinstance(options, list) else options.split()
        done = subprocess.run([PROGRAM, "report", "--json", *words, *paths],
                              capture_output=True, timeout=60, check=False)
        _reports[key] = (done.returncode, done.stdout, done.stderr.decode(errors="replace"))
    status, out, error = _reports[key]
    if status != 0:
        raise AssertionError(f"exit {status}: {error}")
    return json.loads(out)


def steps_of(path):
    """"a.b[c d.e].f" as a, b, [c d.e], f."""
    part, inside = "", False
    for letter in path + ".":
        if letter == "[" and not inside:
            yield part
            part, inside = "[", True
        elif letter == "]" and inside:
            inside = False
        elif letter == "." and not inside:
            yield part
            part = ""
        else:
            part += letter


def member(items, name):
    for item in items or []:
        if any(str(item.get(key)) == name for key in ("rank", "kind", "name", "part", "of")):
            return item
        if name == f"{item.get('kind')} {item.get('from_step')}":
            return item
    return None


def find(value, path):
    for part in steps_of(path):
        if part == "" or value is None:
            continue
        if part.startswith("["):
            value = member(value, part[1:])
        elif part.endswith("#"):
            value = len(value.get(part[:-1]) or [])
        else:
            value = value.get(part)
    return value


class Data(unittest.TestCase):
    pass


def add_row(number, row):
    files, options, what, want, tolerance = row

    @unittest.skipUnless(os.path.isdir(SHARED), "the folder of shared data is not there")
    def test(self):
        got = find(report(files, options), what)
        if isinstance(want, (int, float)) and not isinstance(want, bool):
            self.assertIsNotNone(got, f"{what} is not known")
            self.assertTrue(math.fabs(got - want) <= tolerance * (1 + 1e-9),
                            f"{what} is {got}, not {want} +- {tolerance}")
        else:
            self.assertEqual(got, want, what)

    test.__doc__ = f"{files} {options}: {what}"
    setattr(Data, f"test_{number:03}", test)


def add_explained(number, name, words):
    @unittest.skipUnless(os.path.isdir(SHARED), "the folder of shared data is not there")
    def test(self):
        done = subprocess.run([PROGRAM, "explain", os.path.join(SHARED, name)],
                              capture_output=True, timeout=60, check=False)
        self.assertIn(words, " ".join(done.stdout.decode(errors="replace").split()))

    test.__doc__ = f"{name}: explain says {words}"
    setattr(Data, f"test_explained_{number:03}", test)


for _number, _row in enumerate(ROWS):
    add_row(_number, _row)
for _number, _row in enumerate(EXPLAINED):
    add_explained(_number, *_row)


if __name__ == "__main__":
    unittest.main()
