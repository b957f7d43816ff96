import { describeFamily } from '../families/family';
import { NETWORKS, UPLINKS } from '../families/networks';

describeFamily(NETWORKS);
describeFamily(UPLINKS);
