// Users, their posts, the posts' comments and tags by hand: what Workloads.md asks for.
#ifndef RAW_BLOG_H
#define RAW_BLOG_H

#include "raw_sqlite.h"

// Ten posts for each user, two comments and three tags for each post.
enum { RAW_BLOG_POSTS = 10, RAW_BLOG_COMMENTS = 2, RAW_BLOG_TAGS = 3, RAW_BLOG_ALL_TAGS = 500 };

// Fills the empty tables of a store.
void raw_blog_fill(const char *path, int64_t users);

// Every user, their posts, and the posts' comments, kept with all columns, with one statement for the users and one for the members
// of each object. Gives the sum of the users' ages, the posts' scores and the comments' likes.
typedef struct raw_blog raw_blog;
raw_blog *raw_blog_open(const char *path);
int64_t raw_blog_walk(raw_blog *blog);
// The first posts, each with its tags; the sum of the tags' weights.
int64_t raw_blog_tags(raw_blog *blog, int64_t posts);
void raw_blog_close(raw_blog *blog);

#endif
