import { describeFamily } from '../families/family';
import { KUBERNETES } from '../families/kubernetes';

describeFamily(KUBERNETES);
