/** How members of a group talk: the messages' bytes, and what carries them. */
package io.mgtm.group.net;
